const property = { type: "string" };
const stream = (name: string, more: object = {}) => ({
  name,
  semantics: "append",
  primary_key: ["id"],
  incremental: true,
  schema: {
    type: "object",
    properties: {
      id: property,
      title: { ...property, x_pdpp_role: "primary-title" },
      file: { type: "object" },
    },
    required: [],
  },
  query: { search: { lexical_fields: ["title"] } },
  ...more,
});

/** The manifest of a connector with the streams `plays` and `lists`, in the form of the protocol's connectors. */
export const connectorManifest = {
  protocol_version: "0.1.0",
  connector_id: "https://registry.example/connectors/tunes",
  connector_key: "tunes",
  version: "1.0.0",
  display_name: "Tunes",
  runtime_requirements: { bindings: { network: { required: true } } },
  capabilities: { human_interaction: ["otp"] },
  streams: [stream("plays"), stream("lists")],
};

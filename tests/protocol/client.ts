/** A client written from the specification alone: no import from Rungs, no header but the token's. */
import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { ownSchemas } from "./own-schemas.ts";
import { protocolSchemas } from "./schemas.ts";

const schemas = { ...protocolSchemas, ...ownSchemas };

// biome-ignore lint/suspicious/noExplicitAny: the schemas check answers.
type Json = any;

/** Sends a request. */
export type Send = (
  path: string,
  init: RequestInit & { headers: Record<string, string> },
) => Promise<Response>;

const ajv = new Ajv2020({ strict: false, allErrors: true });
const validators = Object.fromEntries(
  Object.entries(schemas).map(([name, schema]) => [name, ajv.compile(schema)]),
);

/** Creates a client that validates every answer. */
export function createSpecificationClient(sendRequest: Send, token: string) {
  type Shape = keyof typeof schemas;

  const validate = (shape: Shape, body: Json): void => {
    const check = validators[shape];
    const isValid = check?.(body);
    const [problem] = check?.errors ?? [];
    assert.ok(
      isValid,
      `${shape} ${problem?.instancePath} ${problem?.message} ${JSON.stringify(problem?.params)}`,
    );
  };

  const send = async (shape: Shape, path: string, init: RequestInit): Promise<Json> => {
    const headers = { Authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) };
    const answer = await sendRequest(path, { ...init, headers });
    const body = await answer.json();
    assert.equal(answer.ok, shape !== "error", `${path} ${answer.status} ${JSON.stringify(body)}`);
    assert.ok(answer.headers.get("Request-Id"), path);
    validate(shape, body);
    return body;
  };

  const get = (shape: Shape, path: string, headers = {}): Promise<Json> => send(shape, path, { headers });

  return {
    get,
    send,
    validate,

    /** Every record of a stream, page by page. */
    async listAll(stream: string, query = ""): Promise<Json[]> {
      const records = [];
      for (let cursor: string | undefined; ; ) {
        const next = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
        const page = await get("records", `/v1/streams/${stream}/records?limit=7${query}${next}`);
        records.push(...page.data);
        if (!page.has_more) return records;
        cursor = page.next_cursor;
      }
    },

    /** A field's text, window by window at `next_offset_chars`. */
    async readText(stream: string, id: string, field: string): Promise<string> {
      let text = "";
      for (let offset: number | null = 0; offset !== null; ) {
        const path = `/v1/streams/${stream}/records/${encodeURIComponent(id)}/field-window`;
        const { window } = await get("window", `${path}?field=${field}&offset_chars=${offset}`);
        assert.equal(window.start_chars, offset);
        text += window.text;
        offset = window.next_offset_chars;
      }
      return text;
    },
  };
}

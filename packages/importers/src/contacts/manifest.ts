import { declare, shapes } from "../declare.ts";

const label = { label: shapes.text } as const;

const labelled = (value: string): object => ({
  type: "array",
  items: { type: "object", properties: { [value]: shapes.text, ...label } },
});

const parts = (...names: readonly string[]): object =>
  Object.fromEntries(names.map((name) => [name, shapes.text]));

/** Contacts from vCards. */
export const contactsManifest = declare({
  connector: "contacts",
  name: "Contacts",
  version: "3",
  streams: [
    {
      name: "contacts",
      label: "Contacts",
      searched: [
        "name",
        "name_parts",
        "nicknames",
        "emails",
        "phones",
        "addresses",
        "organization",
        "title",
        "notes",
        "categories",
        "other",
      ],
      filtered: ["emails", "phones", "categories", "members"],
      properties: {
        id: shapes.text,
        uid: shapes.text,
        kind: { type: "string", description: "individual when left out; else group, org or location." },
        name: shapes.title,
        name_parts: {
          type: "object",
          properties: parts("family", "given", "additional", "prefix", "suffix"),
        },
        nicknames: shapes.texts,
        emails: labelled("address"),
        phones: labelled("number"),
        addresses: {
          type: "array",
          items: {
            type: "object",
            properties: {
              ...parts("post_box", "extended", "street", "city", "region", "postal_code", "country"),
              ...label,
            },
          },
        },
        organization: { ...shapes.text, x_pdpp_role: "secondary" },
        title: shapes.text,
        birthday: { type: "string", description: "A date; without a year it begins with --." },
        anniversary: shapes.text,
        notes: shapes.body,
        urls: labelled("url"),
        messaging: labelled("address"),
        categories: shapes.texts,
        members: shapes.texts,
        photo: shapes.blob,
        photo_url: {
          type: "string",
          description: "The URL that the card gives for its picture; not downloaded.",
        },
        updated_at: { type: "string", format: "date-time" },
        other: {
          type: "array",
          items: { type: "object", properties: { name: shapes.text, value: shapes.text, ...label } },
          description: "Other properties of the card, under the card's own names.",
        },
      },
      views: [
        {
          id: "names",
          label: "Names only",
          fields: ["id", "name", "name_parts", "nicknames", "organization"],
        },
      ],
    },
  ],
});

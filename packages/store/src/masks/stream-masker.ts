/** Masks the records of a stream: their values, and their keys where a key has a masked value. */
import { createHmac, randomBytes } from "node:crypto";
import type { FieldShape, StreamMasks, StreamShape } from "@rungs/contract";
import { createMasker, detectEncoded, isBlobRef, labelMember, maskValue } from "@rungs/evidence";
import type { Catalog } from "../catalog/catalog.ts";
import { formatRules } from "../catalog/scoped-partition.ts";
import type { SqlContext } from "../database.ts";

/** The secret that keys the codes of tokens. */
export const MASK_SECRET = "masks";

/** No vowels and no digits: a code is neither a word nor a number. */
const LETTERS = "bcdfghjklmnpqrstvwxz";
const CODE_LETTERS = 8;
/** Two records must not share a key, so their codes are longer. */
const KEY_LETTERS = 20;
/** A digest, such as the keys that importers make of contents. */
const DIGEST = /(?<![0-9a-z])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{16,}(?![0-9a-z])/i;

/** What importers measure of texts and files, which tells how long masked values are. */
const MEASURES = ["size_bytes", "page_starts"];

export interface StreamMasker {
  maskKey(record_id: string): string;
  maskData(data: Readonly<Record<string, unknown>>): Record<string, unknown>;
}

/** A new secret. */
export function createMaskSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** Reads the secret and prepares the detectors. Whoever creates a copy creates the secret first. */
export async function openMasker(
  { sql, owner }: SqlContext,
  catalog: Catalog,
  { shape, masks }: { readonly shape: StreamShape; readonly masks: StreamMasks },
): Promise<StreamMasker> {
  const secret = await catalog.findSecret(sql, MASK_SECRET);
  if (secret === undefined) throw new Error("there is no secret for masks");
  return createStreamMasker(shape, masks, `${secret}\n${owner}`);
}

/** The masker of a stream under an owner's secret. */
export function createStreamMasker(shape: StreamShape, masks: StreamMasks, secret: string): StreamMasker {
  const key = `${secret}\n${formatRules(masks)}`;
  const encode = (kind: string, value: string, letters: number) => {
    const digest = createHmac("sha512", key).update(`${kind}\n${value}`).digest();
    // 256 is not a multiple of 20: four bytes at a time make the bias negligible.
    return Array.from({ length: letters / 2 }, (_, at) => {
      const number = digest.readUInt32BE(at * 4) % LETTERS.length ** 2;
      return `${LETTERS[Math.floor(number / LETTERS.length)]}${LETTERS[number % LETTERS.length]}`;
    }).join("");
  };
  const mask = createMasker(masks, (kind, value) => encode(kind, value, CODE_LETTERS));
  const isMasked = (field: string) => masks.fields.includes(field) && field !== shape.consent_time_field;
  /** Bytes are withheld, since nothing inside them can be masked: a file keeps its type and name, encoded bytes become a token. */
  const maskField = (value: unknown, label: string, declared?: FieldShape): unknown => {
    if (typeof value === "string" && detectEncoded(value, declared))
      return `[bytes-${encode("bytes", value, CODE_LETTERS)}]`;
    if (Array.isArray(value)) return value.map((item) => maskField(item, label));
    if (value === null || typeof value !== "object") return maskValue(value, mask, label);
    if (isBlobRef(value)) {
      const { mime_type, filename } = value;
      return { mime_type, ...(filename === undefined ? {} : { filename: mask(filename) }) };
    }
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => !MEASURES.includes(name))
        .map(([name, item]) => [mask(name), maskField(item, labelMember(label, name))]),
    );
  };
  const hideKey = (key: string) => `[key-${encode("key", key, KEY_LETTERS)}]`;
  /** A key may be a digest of any masked field, which would confirm a guess. */
  const isKept = (field: string, part: string) =>
    !DIGEST.test(part) && (!isMasked(field) || mask(part) === part);
  const own = shape.primary_key.length === 1 ? shape.primary_key[0] : undefined;
  const links = new Set([own, ...shape.parents.map(({ foreign_key }) => foreign_key)]);
  return {
    maskKey: (record_id) =>
      readKey(record_id, shape.primary_key.length).every((part, at) =>
        isKept(shape.primary_key[at] ?? "", part),
      )
        ? record_id
        : hideKey(record_id),
    maskData: (data) =>
      Object.fromEntries(
        Object.entries(data).flatMap(([name, value]) => {
          // Whichever field is masked: they measure the other fields too.
          if (MEASURES.includes(name)) return [];
          const isText = typeof value === "string" || typeof value === "number";
          // A link names a record as the record's own key does, so that a client can follow it.
          if (isText && links.has(name))
            return [[name, isKept(name, String(value)) ? value : hideKey(String(value))]];
          if (isText && shape.primary_key.includes(name) && DIGEST.test(String(value)))
            return [[name, hideKey(String(value))]];
          if (!isMasked(name)) return [[name, value]];
          const declared = shape.fields.find((field) => field.name === name);
          return [[name, maskField(value, labelMember("", name), declared)]];
        }),
      ),
  };
}

/** The parts of a canonical key; none when a grant names what is not a key of the stream. */
function readKey(record_id: string, parts: number): string[] {
  if (parts === 1) return [record_id];
  try {
    const key: unknown = JSON.parse(record_id);
    return Array.isArray(key) ? key.map(String) : [];
  } catch {
    return [];
  }
}

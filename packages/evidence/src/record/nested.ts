/** The parts of a JSON value that cannot be shown whole: long values that the store cut, encoded bytes, blobs. */

import { type FieldPath, formatFieldPath } from "../address/field-path.ts";
import { type BinaryMetadata, type BlobRef, blobRefSchema, isBinaryText } from "./binary.ts";

/**
 * A value that the store cut to a prefix of its text; the data holds the prefix, null for a `json` value, or a description of
 * the bytes that a `binary` string encodes.
 */
export interface FieldCut {
  readonly path: string;
  readonly kind: "text" | "json" | "binary";
  readonly size_chars: number;
  readonly size_bytes: number;
  readonly digest: string;
  readonly prefix: string;
  /** What a `binary` string encodes. */
  readonly binary?: BinaryMetadata | undefined;
}

/** A nested value with a separate view. */
export type NestedStop =
  | { readonly kind: "cut"; readonly cut: FieldCut }
  | {
      readonly kind: "binary";
      readonly path: string;
      readonly text: string;
      readonly cut: FieldCut | undefined;
    }
  | { readonly kind: "blob"; readonly path: string; readonly blob: BlobRef };

/** A JSON value as answers show it, and the places where something was left out or refers to more. */
export interface ShownJson {
  readonly shown: unknown;
  readonly stops: readonly NestedStop[];
  /** Whether `shown` is the whole value. */
  readonly whole: boolean;
}

/** Prepares the value at `path` for display: cut values end with `…`, bytes are left out. */
export function showJson(value: unknown, path: FieldPath, cuts: ReadonlyMap<string, FieldCut>): ShownJson {
  const stops: NestedStop[] = [];
  const show = (inner: unknown, at: FieldPath): unknown => {
    const stop = findStop(inner, formatFieldPath(at), cuts);
    if (stop) stops.push(stop);
    if (stop?.kind === "cut") return `${stop.cut.prefix}…`;
    if (stop?.kind === "binary") return "(binary)";
    if (inner === null || typeof inner !== "object") return inner;
    if (Array.isArray(inner)) return inner.map((item, index) => show(item, [...at, index]));
    return Object.fromEntries(Object.entries(inner).map(([name, item]) => [name, show(item, [...at, name])]));
  };
  const shown = show(value, path);
  return { shown, stops, whole: stops.every((stop) => stop.kind === "blob") };
}

function findStop(value: unknown, path: string, cuts: ReadonlyMap<string, FieldCut>): NestedStop | undefined {
  const cut = cuts.get(path);
  if (cut?.binary) return { kind: "binary", path, text: "", cut };
  const text = cut?.prefix ?? value;
  if (typeof text === "string" && isBinaryText(text, undefined, cut?.size_chars)) {
    return { kind: "binary", path, text, cut };
  }
  if (cut) return { kind: "cut", cut };
  const blob = blobRefSchema.safeParse(value);
  return blob.success ? { kind: "blob", path, blob: blob.data } : undefined;
}

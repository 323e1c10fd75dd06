/** Tampered cursors: only the exact sealed text opens, and only for the request it was sealed for. */
import assert from "node:assert/strict";
import {
  CodedError,
  openCursor,
  openWindowCursor,
  sealCursor,
  sealWindowCursor,
  type WindowTarget,
} from "@rungs/evidence";
import { createSealer } from "@rungs/server";
import fc from "fast-check";
import { anyRef } from "../../../../testing/arbitraries.ts";
import { fuzz, takeOrRefuse } from "../../../../testing/fuzz/cases.ts";
import { anyJson, anyText, mangledText } from "../../../../testing/fuzz/mangled.ts";
import {
  changesPages,
  changesSince,
  createPager,
  listPages,
  type PageKind,
  queryPages,
  searchPages,
} from "../cursor/page-cursor.ts";

const NOW = Date.UTC(2026, 0, 1);
const sealer = createSealer("a secret");
const stranger = createSealer("another secret");
const kinds = [
  queryPages,
  listPages,
  changesPages,
  changesSince,
  searchPages,
] as unknown as readonly PageKind<unknown>[];
const names = fc.constantFrom("w", "q", "l", "c", "t", "s");
const positions = fc.jsonValue({ maxDepth: 3 }).filter((value) => JSON.stringify(value).length < 2_000);
const sealed = fc.record({ kind: names, binding: anyText, position: positions });

const isRefused = (open: () => unknown, ...codes: string[]) =>
  assert.throws(open, (error) => error instanceof CodedError && codes.includes(error.code));

fuzz(
  "R24 arbitrary text is not a cursor, and neither is a changed one",
  sealed.chain(changed),
  ([text, made]) => {
    const { kind, binding } = made;
    const open = () => openCursor(text, { kind, binding, now_ms: NOW }, sealer);
    if (text === seal(made)) assert.deepEqual(open(), json(made.position));
    else isRefused(open, "invalid_cursor");
  },
);

fuzz(
  "R24 a cursor opens for its own kind, question, time and server alone",
  fc.tuple(sealed, names, anyText, fc.integer({ min: 0, max: 2 })),
  ([made, kind, binding, hours]) => {
    const now_ms = NOW + hours * 3_600_000;
    const open = () => openCursor(seal(made), { kind, binding, now_ms }, sealer);
    if (kind !== made.kind) isRefused(open, "invalid_cursor");
    else if (binding !== made.binding) isRefused(open, "cursor_foreign");
    else if (hours > 0) isRefused(open, "cursor_expired");
    else assert.deepEqual(open(), json(made.position));
    const { kind: own, binding: question } = made;
    isRefused(
      () => openCursor(seal(made), { kind: own, binding: question, now_ms: NOW }, stranger),
      "invalid_cursor",
    );
  },
);

fuzz("R24 a position of any form is read or refused", fc.tuple(names, anyJson), ([kind, position]) => {
  const binding = JSON.stringify([]);
  const cursor = sealCursor({ kind, binding, position, expires_at_ms: NOW + 1 }, sealer);
  for (const each of kinds) {
    const pager = createPager(each, [], { sealer, now_ms: NOW });
    const place = takeOrRefuse(() => pager.open(cursor));
    if (place !== undefined) assert.deepEqual(pager.open(pager.seal(place)), place);
  }
});

fuzz(
  "R24 a window's cursor is good for its grant, record and field alone",
  fc.tuple(targets(), targets(), fc.nat(1e6), fc.integer({ min: 1, max: 16384 })),
  ([target, other, start_chars, limit_chars]) => {
    const request = { kind: "forward", start_chars, limit_chars } as const;
    const facts = { digest: "sha256:0123456789abcdef", expires_at_ms: NOW + 1 };
    const cursor = sealWindowCursor({ request, is_sized: true }, target, facts, sealer);
    assert.deepEqual(openWindowCursor(cursor, target, NOW, sealer).request, request);
    const isSame = JSON.stringify(target) === JSON.stringify(other);
    if (!isSame) isRefused(() => openWindowCursor(cursor, other, NOW, sealer), "cursor_foreign");
  },
);

interface Made {
  readonly kind: string;
  readonly binding: string;
  readonly position: unknown;
}

function seal(made: Made): string {
  return sealCursor({ ...made, expires_at_ms: NOW + 1 }, sealer);
}

function json(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function changed(made: Made): fc.Arbitrary<[string, Made]> {
  const text = seal(made);
  return fc.tuple(fc.oneof(mangledText(fc.constant(text)), anyText, fc.constant(text)), fc.constant(made));
}

function targets(): fc.Arbitrary<WindowTarget> {
  const few = fc.constantFrom("a", "b");
  const close = fc.record({ connection_id: few, stream: few, record_id: few });
  return fc
    .tuple(fc.oneof(anyRef, close), fc.oneof(anyText, few), fc.oneof(anyText, few))
    .map(([ref, grant_key, field_path]) => ({ ...ref, grant_key, field_path }));
}

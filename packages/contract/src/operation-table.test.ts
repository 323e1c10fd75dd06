import assert from "node:assert/strict";
import { test } from "node:test";
import { continuationSchema } from "@rungs/evidence";
import { isErrorCode } from "./errors/errors.ts";
import { operations, READ_NAMES } from "./operation-table.ts";
import type { Operation } from "./operations/operation.ts";
import { pathNames } from "./wire/wire.ts";

const all: [string, Operation][] = Object.entries(operations);

test("the table is keyed by name, and a continuation can name every read", () => {
  for (const [key, operation] of all) assert.equal(key, operation.name);
  for (const name of READ_NAMES)
    assert.ok(continuationSchema.safeParse({ operation: name, args: {} }).success, name);
});

test("no two operations share a method and a path", () => {
  const routes = all.map(([, { method, path }]) => `${method} ${path}`);
  assert.equal(new Set(routes).size, routes.length);
});

test("path parameters, headers and aliases are members of the input; path parameters are required", () => {
  for (const [name, operation] of all) {
    const { shape } = operation.input;
    for (const param of pathNames(operation)) {
      assert.ok(shape[param], `${name} ${param}`);
      assert.notEqual(
        (shape[param] as { _zod: { optin?: string } })._zod.optin,
        "optional",
        `${name} ${param}`,
      );
    }
    for (const header of operation.headers ?? []) assert.ok(shape[header], `${name} ${header}`);
    for (const target of Object.values(operation.aliases ?? {}))
      assert.ok(shape[target], `${name} ${target}`);
  }
});

test("errors are codes of the registry, each once", () => {
  for (const [name, { errors }] of all) {
    assert.ok(errors.every(isErrorCode), name);
    assert.equal(new Set(errors).size, errors.length, name);
  }
});

/** Writes open to clients: a link to download an export, and subscriptions to changes. */
const ARRANGEMENTS: Readonly<Record<string, string>> = {
  export_link: "POST",
  create_event_subscription: "POST",
  update_event_subscription: "PATCH",
  delete_event_subscription: "DELETE",
  send_test_event: "POST",
};

test("R50 only reads take a client's token, and they change no data", () => {
  for (const [name, { kind, method }] of all) {
    if (kind === "client" || kind === "public") assert.equal(method, ARRANGEMENTS[name] ?? "GET", name);
  }
});

test("summaries are one sentence", () => {
  for (const [name, { summary }] of all) assert.match(summary, /^[A-Z][^\n]*\.$/, name);
});

/** One request to an authorization server: returns its JSON document, or throws its OAuth error. */
import type { Fetch } from "../send.ts";
import { reach } from "../unreachable.ts";

/** A JSON document whose members are yet to be checked. */
export type Document = Readonly<Record<string, unknown>>;

/** An authorization server refused; `error` is its OAuth error code. */
export class LoginRefused extends Error {
  readonly error: string;

  constructor(error: string, description: string | undefined) {
    super(
      description === undefined ? `The server refused: ${error}.` : `The server refused: ${description}.`,
    );
    this.name = "LoginRefused";
    this.error = error;
  }
}

/** Sends a request and returns the JSON document of the answer. */
export async function requestDocument(fetch: Fetch, url: string, init: RequestInit = {}): Promise<Document> {
  const headers = { Accept: "application/json", ...init.headers };
  const answer = await reach(new URL(url).origin, () => fetch(url, { ...init, headers, redirect: "error" }));
  const body: unknown = await answer.json().catch(() => undefined);
  const document = typeof body === "object" && body !== null ? (body as Document) : {};
  if (answer.ok) return document;
  throw new LoginRefused(
    readMember(document, "error") ?? `status ${answer.status}`,
    readMember(document, "error_description"),
  );
}

/** Posts a form, as OAuth's endpoints take it. */
export function submitForm(
  fetch: Fetch,
  url: string,
  form: Readonly<Record<string, string>>,
): Promise<Document> {
  return requestDocument(fetch, url, { method: "POST", body: new URLSearchParams(form) });
}

/** A member that is non-empty text, or undefined. */
export function readMember(document: Document, name: string): string | undefined {
  const value = document[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A member that must be non-empty text. */
export function requireMember(document: Document, name: string): string {
  const value = readMember(document, name);
  if (value === undefined) throw new LoginRefused("invalid_response", `its answer has no ${name}`);
  return value;
}

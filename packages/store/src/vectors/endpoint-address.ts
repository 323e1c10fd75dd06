/** The address of an embedding service: which form it takes, and which hosts need the owner's consent (R65). */
import { ApiError } from "@rungs/contract";
import type { EmbeddingChoice, EmbeddingEndpoint } from "../port/embeddings.ts";

type EndpointChoice = Extract<EmbeddingChoice, { kind: "endpoint" }>;
type Address = Pick<EmbeddingEndpoint, "url" | "model" | "key_env" | "consent">;

const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Checks a choice. Text leaves this machine only for a host that the owner named twice. */
export function requireEndpointAddress(choice: EndpointChoice, now: () => Date): Address {
  const { model, key_env, send_text_to } = choice;
  const url = requireUrl(choice.url);
  if (model.trim() === "") refuse("model", "Name the model that the service offers.");
  if (key_env !== undefined && !ENV_NAME.test(key_env))
    refuse("key_env", "Give the name of an environment variable that holds the key, not the key itself.");
  if (!isLoopback(url.hostname) && send_text_to !== url.host)
    refuse(
      "send_text_to",
      `${url.host} is not this machine. It would get the text of titles and bodies of all your records, and the words of every search.`,
      `If you agree to that, add --send-text-to ${url.host}.`,
    );
  return {
    url: url.href,
    model,
    ...(key_env !== undefined && { key_env }),
    ...(!isLoopback(url.hostname) && { consent: { host: url.host, at: now().toISOString() } }),
  };
}

/** Whether text may be sent there: to this machine, or to the host that the owner consented to. */
export function mayReceiveText({ url, consent }: Address): boolean {
  const { hostname, host } = new URL(url);
  return isLoopback(hostname) || consent?.host === host;
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

function requireUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    return refuse("url", "Give the address of the service, such as http://127.0.0.1:11434/v1.");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    return refuse(
      "url",
      "The address must not contain a user, a password or a query: a key comes from the environment.",
    );
  const path = url.pathname.replace(/\/+$/, "");
  if (path === "") url.pathname = "/v1/embeddings";
  else url.pathname = path.endsWith("/embeddings") ? path : `${path}/embeddings`;
  return url;
}

function refuse(param: string, message: string, next?: string): never {
  throw new ApiError("invalid_request", { param, message, ...(next !== undefined && { next }) });
}

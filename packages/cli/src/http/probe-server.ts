import { errorBodySchema } from "@rungs/contract";

/** What a server makes of a token. */
export type ProbedToken = "client" | "owner" | "invalid" | "unreachable";

const PROBE_MS = 10_000;

/** Asks a server's MCP endpoint whose token it is: it takes a client's alone, and says so before anything else. */
export async function probeServer(base_url: string, token: string): Promise<ProbedToken> {
  const headers = { Authorization: `Bearer ${token}`, Accept: "text/event-stream" };
  const signal = AbortSignal.timeout(PROBE_MS);
  const answer = await fetch(`${base_url}/mcp`, { headers, signal, redirect: "error" }).catch(
    () => undefined,
  );
  if (answer?.status === 405) return "client";
  if (answer?.status === 401) return "invalid";
  const body = errorBodySchema.safeParse(await answer?.json().catch(() => undefined));
  return body.data?.error.code === "client_token_required" ? "owner" : "unreachable";
}

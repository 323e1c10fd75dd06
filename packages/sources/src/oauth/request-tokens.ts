/** Calls a provider's endpoints: for tokens (RFC 6749 §5), and for a code to show (RFC 8628). */
import { ApiError } from "@rungs/contract";
import { foldToLine, sliceChars } from "@rungs/evidence";
import { z } from "zod";
import { explainNetworkFailure } from "../network-failure.ts";
import { NotHttp, sendRequest } from "../send-request.ts";

const LIMITS = { answer_bytes: 256 * 1024, silence_ms: 30_000, answer_ms: 60_000 };
const WORDS_CHARS = 200;

const tokenSchema = z.looseObject({
  access_token: z.string().min(1),
  /** Omitted if the earlier one stays valid. */
  refresh_token: z.string().min(1).optional(),
  expires_in: z.number().positive().optional(),
});

const refusalSchema = z.looseObject({ error: z.string(), error_description: z.string().optional() });

/** The provider refused; `error` is its code. */
export class OAuthRefused extends Error {
  readonly error: string;

  constructor(error: string, description = error) {
    super(sliceChars(foldToLine(description), 0, WORDS_CHARS).trim());
    this.error = error;
  }
}

/** A token as a provider gives it. */
export interface GivenToken {
  readonly access_token: string;
  readonly refresh_token: string | undefined;
  readonly lifetime_ms: number;
}

/** The lifetime of a token whose provider does not name it. */
const LIFETIME_MS = 5 * 60_000;

/** Exchanges a refresh token or a code for tokens. */
export async function requestTokens(
  token_url: string,
  form: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<GivenToken> {
  const parsed = tokenSchema.safeParse(await postForm(token_url, form, signal));
  if (!parsed.success) throw broken();
  const { access_token, refresh_token, expires_in } = parsed.data;
  const lifetime_ms = expires_in === undefined ? LIFETIME_MS : expires_in * 1000;
  return { access_token, refresh_token, lifetime_ms };
}

/** Posts a form and returns the JSON of the answer; throws `OAuthRefused` with the provider's reason. */
export async function postForm(
  address: string,
  form: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<unknown> {
  const given = Object.entries(form).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const request = {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: new URLSearchParams(given).toString(),
  };
  const answer = await sendRequest(new URL(address), request, { signal, limits: LIMITS }).catch((error) => {
    throw error instanceof NotHttp ? broken() : explainNetworkFailure(error);
  });
  if (answer.status === 429 || answer.status >= 500) throw new ApiError("source_throttled");
  const document: unknown = await answer.json().catch(() => undefined);
  if (answer.ok && document !== undefined) return document;
  const refusal = refusalSchema.safeParse(document).data;
  if (refusal) throw new OAuthRefused(refusal.error, refusal.error_description);
  throw broken();
}

/** The error for a response that no OAuth server would send. */
export function broken(): ApiError {
  return new ApiError("source_broken", { message: "The provider's answer is not that of an OAuth server." });
}

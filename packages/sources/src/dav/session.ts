/** An account on a server for calendars or contacts, found from the address that the owner gave (RFC 6764). */
import { ApiError } from "@rungs/contract";
import { createAccount, type DAVResponse } from "tsdav";
import type { SourceAccess } from "../live-source.ts";
import { explainNetworkFailure } from "../network-failure.ts";
import { createBoundedFetch, notDav } from "./bounded-fetch.ts";
import { requireDavSettings } from "./settings.ts";

/** The two protocols, which differ in the names of what they have. */
export type DavProtocol = "caldav" | "carddav";

/** An open session: what every request needs, and the home of the account's collections. */
export interface DavSession {
  readonly protocol: DavProtocol;
  readonly home_url: string;
  /** Sends a request by tsdav with the account's sign-in; throws a `source_…` error in words for the owner. */
  ask(send: (common: DavCommon) => Promise<DAVResponse[]>): Promise<DAVResponse[]>;
}

/** Arguments that every function of tsdav takes. */
export interface DavCommon {
  readonly headers: Record<string, string>;
  readonly fetch: typeof fetch;
}

/** Signs in and finds the home of the account's collections. */
export async function openAccount(
  protocol: DavProtocol,
  { settings: given, secret }: SourceAccess,
  signal: AbortSignal,
): Promise<DavSession> {
  const settings = requireDavSettings(given);
  if (secret === undefined)
    throw new ApiError("source_refused", {
      message: "There is no password for this account.",
      next: "Give it with rungs sync password.",
    });
  const credentials = Buffer.from(`${settings.user}:${secret}`).toString("base64");
  const answers: Response[] = [];
  // tsdav reports failures in prose; the first failure and the responses have codes.
  let failure: unknown;
  const send = createBoundedFetch(settings, signal);
  const common: DavCommon = {
    headers: { authorization: `Basic ${credentials}` },
    async fetch(input, init) {
      try {
        const answer = await send(input, init);
        answers.push(answer);
        return answer;
      } catch (error) {
        failure ??= error;
        throw error;
      }
    },
  };
  const explain = (error: unknown) =>
    error instanceof ApiError
      ? error
      : (explainAnswer(answers.at(-1)) ??
        (failure === undefined ? notDav() : explainNetworkFailure(failure)));
  try {
    const account = await createAccount({
      account: { accountType: protocol, serverUrl: settings.url },
      ...common,
    });
    if (account.homeUrl === undefined) throw notDav();
    return {
      protocol,
      home_url: account.homeUrl,
      async ask(send) {
        failure = undefined;
        answers.length = 0;
        let found: DAVResponse[];
        try {
          found = await send(common);
        } catch (error) {
          throw explain(error);
        }
        const problem = explainAnswer(answers.at(-1));
        if (problem?.code === "source_throttled") throw problem;
        return found;
      },
    };
  } catch (error) {
    throw explain(error);
  }
}

/** The error for a whole response; one that throttles us may have `Retry-After` (RFC 9110 §10.2.3). */
function explainAnswer(answer: Response | undefined): ApiError | undefined {
  const error = explainStatus(answer?.status);
  if (error?.code !== "source_throttled") return error;
  const asked = answer?.headers.get("retry-after") ?? "";
  const retry_after_ms = /^\d{1,9}$/.test(asked) ? Number(asked) * 1_000 : Date.parse(asked) - Date.now();
  return retry_after_ms > 0 ? new ApiError("source_throttled", { retry_after_ms }) : error;
}

/** The error for the status of a whole response; undefined where the status explains nothing. */
export function explainStatus(status: number | undefined): ApiError | undefined {
  if (status === 401 || status === 403) return new ApiError("source_refused");
  if (status === 429 || status === 503) return new ApiError("source_throttled");
  if (status === 404 || status === 405)
    return notDav("The server has no calendars or contacts at this address.");
  return undefined;
}

/** Explains a server's failure in words that the owner can act on. */
import { ApiError } from "@rungs/contract";
import { CodedError } from "@rungs/evidence";
import { explainNetworkFailure } from "../network-failure.ts";

/** What imapflow and Node attach to errors. */
interface ServerFailure {
  readonly code?: string | undefined;
  readonly authenticationFailed?: boolean | undefined;
  readonly serverResponseCode?: string | undefined;
  readonly response?: unknown;
  /** The text of the BYE that ended the connection. */
  readonly reason?: unknown;
}

const BROKEN: Readonly<Record<string, string>> = {
  LiteralTooLarge: "The server sent a value larger than any message may be.",
  LineTooLarge: "The server sent a line without end.",
  ResponseTooLarge: "The server sent an answer without end.",
  MAX_IMAP_NESTING_REACHED: "The server sent an answer nested too deeply.",
};

const THROTTLED = /^(?:ETHROTTLE|THROTTLED|LIMIT|OVERQUOTA|INUSE|UNAVAILABLE|ALERT)$/;

/** imapflow drops the code of a BYE; this matches the wording of Gmail, Yahoo, Outlook, Dovecot and Cyrus. */
const GOODBYE = /too many|limit|throttl|later|busy|unavailable|quota|bandwidth|exceed/i;

/** The failure of a server as an error of the registry; any other error as it is. */
export function explainImapFailure(error: unknown): unknown {
  if (error instanceof CodedError || !(error instanceof Error)) return error;
  const { code = "", authenticationFailed, serverResponseCode = "", reason = "" } = error as ServerFailure;
  if (code === "ETHROTTLE" || THROTTLED.test(serverResponseCode) || GOODBYE.test(String(reason)))
    return new ApiError("source_throttled");
  if (authenticationFailed) return new ApiError("source_refused");
  const explained = explainNetworkFailure(error);
  if (explained !== error) return explained;
  const broken =
    BROKEN[code] ??
    (code.startsWith("ParserError") || code === "InvalidResponse" || code === "UnexpectedTag"
      ? "The server sent an answer that is not IMAP."
      : undefined);
  if (broken) return new ApiError("source_broken", { message: broken });
  if ("responseStatus" in error)
    return new ApiError("source_broken", { message: "The server refused a command." });
  return error;
}

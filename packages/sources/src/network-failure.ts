/** Explains a failed connection in words that the owner can act on. */
import { ApiError } from "@rungs/contract";
import { CodedError } from "@rungs/evidence";

const CERTIFICATES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "The certificate of the server has expired.",
  CERT_NOT_YET_VALID: "The certificate of the server is not valid yet.",
  ERR_TLS_CERT_ALTNAME_INVALID: "The certificate of the server is for another name.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The server signed its certificate itself.",
  SELF_SIGNED_CERT_IN_CHAIN: "The certificate of the server comes from an unknown authority.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "The certificate of the server comes from an unknown authority.",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "The certificate of the server comes from an unknown authority.",
};

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "No server listens at this address.",
  ENOTFOUND: "No server has this name.",
  EAI_AGAIN: "The server's name cannot be resolved right now.",
  ECONNRESET: "The server dropped the connection.",
  ETIMEDOUT: "The server does not answer.",
  ETIMEOUT: "The server stopped answering.",
  CONNECT_TIMEOUT: "The server does not answer.",
  GREETING_TIMEOUT: "The server sends no greeting: it may not be a mail server.",
  EHOSTUNREACH: "There is no network route to the server.",
  ENETUNREACH: "There is no network.",
  ClosedAfterConnectText: "The server closed the connection.",
  ClosedAfterConnectTLS: "The server closed the connection.",
  StateLogout: "The server closed the connection.",
  EConnectionClosed: "The server closed the connection.",
  NoConnection: "The server closed the connection.",
};

/** The failure of a connection as an error of the registry; any other error as it is. */
export function explainNetworkFailure(error: unknown): unknown {
  if (error instanceof CodedError || !(error instanceof Error)) return error;
  const { code = "" } = error as { code?: string };
  const certificate = CERTIFICATES[code];
  if (certificate)
    return new ApiError("source_unsafe", { message: `${certificate} Nothing was sent to it.` });
  const unreachable = UNREACHABLE[code];
  if (unreachable) return new ApiError("source_unreachable", { message: unreachable });
  const isUnsafe = isTls(code, error.message);
  return isUnsafe
    ? new ApiError("source_unsafe", { message: "The server does not speak TLS as asked." })
    : error;
}

function isTls(code: string, message: string): boolean {
  return code.startsWith("ERR_SSL") || code === "EPROTO" || /STARTTLS|TLS/.test(`${code} ${message}`);
}

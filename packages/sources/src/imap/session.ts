/** A connection to a mailbox that only reads: EXAMINE and PEEK, so that nothing at the provider changes (R77). */
import { ApiError } from "@rungs/contract";
import { ImapFlow, type ImapFlowOptions } from "imapflow";
import type { SourceAccess } from "../live-source.ts";
import { endSignIn, requireAccessToken } from "../oauth/access-token.ts";
import { explainImapFailure } from "./failure.ts";
import { imapLimits as limits } from "./limits.ts";
import { type ImapSettings, requireImapSettings } from "./settings.ts";

/** An open session. */
export interface ImapSession {
  readonly client: ImapFlow;
  /** Runs commands with a bound on what the server may send meanwhile. */
  bound<T>(bytes: number, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** How often the bytes of a command are checked. */
const LOOK_MS = 20;

/** Opens a session. Throws a `source_…` error in words for the owner. */
export async function openSession(access: SourceAccess, signal: AbortSignal): Promise<ImapSession> {
  const settings = requireImapSettings(access.settings);
  const { oauth, user } = settings;
  const { secret } = access;
  if (secret === undefined)
    throw new ApiError("source_refused", {
      message: "There is no password for this mailbox.",
      next: "Give it with rungs sync password.",
    });
  if (!oauth) return connect(settings, { user, pass: secret }, signal);
  const { token, is_kept } = await requireAccessToken(oauth, access, { signal });
  try {
    return await connect(settings, { user, accessToken: token }, signal);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "source_refused") throw error;
    if (!is_kept) throw endSignIn("The mail server refused the sign-in of the provider.");
    // The token was revoked early.
    const renewed = await requireAccessToken(oauth, access, { signal, renew: true });
    return connect(settings, { user, accessToken: renewed.token }, signal);
  }
}

async function connect(
  { host, port, security, ca }: ImapSettings,
  auth: NonNullable<ImapFlowOptions["auth"]>,
  signal: AbortSignal,
): Promise<ImapSession> {
  const client = new ImapFlow({
    host,
    port,
    secure: security === "tls",
    // `true` requires STARTTLS; `false` never tries it.
    ...(security === "tls" ? {} : { doSTARTTLS: security === "starttls" }),
    auth,
    tls: { minVersion: "TLSv1.2", rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) },
    logger: false,
    clientInfo: { name: "Rungs" },
    qresync: true,
    disableAutoIdle: true,
    // No compression: a small response could inflate to a huge one.
    disableCompression: true,
    connectionTimeout: limits.connect_ms,
    greetingTimeout: limits.connect_ms,
    socketTimeout: limits.silence_ms,
    maxLiteralSize: limits.literal_bytes,
    maxLineLength: limits.line_bytes,
    maxResponseSize: limits.literal_bytes + limits.line_bytes,
  });
  let failure: unknown;
  // Errors of the connection also reject the command in flight.
  client.on("error", (error: unknown) => {
    failure ??= error;
  });
  const onAbort = () => client.close();
  signal.addEventListener("abort", onAbort);
  /** Ends the commands in flight. A closed client does not always reject its pending commands. */
  const endings = new Set<(reason: unknown) => void>();
  const explain = (error: unknown) => explainImapFailure(preferCause(failure, error));
  const close = async () => {
    signal.removeEventListener("abort", onAbort);
    // LOGOUT would wait for the commands in flight.
    if (client.usable && endings.size === 0)
      await Promise.race([client.logout().catch(() => undefined), pause(2_000)]);
    client.close();
    for (const end of endings)
      end(new ApiError("source_unreachable", { message: "The connection is closed." }));
  };
  const bound: ImapSession["bound"] = async (bytes, work) => {
    const start = client.stats().received;
    const began = performance.now();
    const ended = Promise.withResolvers<never>();
    ended.promise.catch(() => undefined);
    endings.add(ended.reject);
    const stopBeyondBounds = () => {
      const isLarge = client.stats().received - start > bytes;
      if (!isLarge && performance.now() - began < limits.command_ms) return;
      failure ??= new ApiError("source_broken", {
        message: isLarge
          ? "The server sent an answer without end."
          : "The server did not finish its answer in time.",
      });
      client.close();
      ended.reject(failure);
    };
    const timer = setInterval(stopBeyondBounds, LOOK_MS);
    try {
      const answer = await Promise.race([work(), ended.promise]);
      // The response may have arrived between two checks.
      stopBeyondBounds();
      return await Promise.race([ended.promise, answer]);
    } catch (error) {
      throw explain(error);
    } finally {
      clearInterval(timer);
      endings.delete(ended.reject);
    }
  };
  try {
    await bound(limits.short_bytes, () => client.connect());
    // The signal may have aborted before the listener was added.
    if (signal.aborted) client.close();
  } catch (error) {
    await close();
    throw error;
  }
  return { client, bound, close };
}

/** Reports the first failure of the connection, which is the cause; that it is closed now is the consequence. */
function preferCause(cause: unknown, error: unknown): unknown {
  const { code } = (error ?? {}) as { code?: string };
  return cause !== undefined &&
    (code === "NoConnection" || code === "EConnectionClosed" || cause instanceof ApiError)
    ? cause
    : error;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

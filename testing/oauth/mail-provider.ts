/** A provider that refuses passwords: its token endpoint, and a mail server that takes the tokens (XOAUTH2). */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type HostileServer, startHostileServer } from "../imap/hostile-server.ts";
import { writeMessage } from "../imap/sync-world.ts";

/** The provider, and what tests do to it. */
export interface MailProvider {
  readonly url: string;
  readonly mail: HostileServer;
  /** The requests to its token endpoint, oldest first. */
  readonly requests: readonly URLSearchParams[];
  /** The refresh token that is valid now; each works once. */
  readonly refreshToken: () => string;
  /** Revokes every access token, as a password change does. */
  revokeAccess(): void;
  /** Ends the sign-in. */
  revokeAll(): void;
  /** The address to which the authorization page redirects the browser. */
  approve(authorization_url: string): URL;
  stop(): Promise<void>;
}

export const CLIENT_ID = "owner-client";
export const CLIENT_SECRET = "client-secret-7";

/** Starts both on loopback. A device sign-in is approved at its second poll. */
export async function startMailProvider(): Promise<MailProvider> {
  const requests: URLSearchParams[] = [];
  const valid = new Set<string>();
  const challenges = new Map<string, string>();
  let number = 0;
  let refresh_token = "refresh-0";
  let questions = 0;
  const answerToken = (form: URLSearchParams): readonly [number, object] => {
    requests.push(form);
    const refused = (error: string) => [400, { error }] as const;
    if (form.get("client_id") !== CLIENT_ID) return refused("invalid_client");
    const kind = form.get("grant_type") ?? "";
    if (kind === "refresh_token" && form.get("refresh_token") !== refresh_token)
      return refused("invalid_grant");
    if (kind === "authorization_code") {
      const verifier = form.get("code_verifier") ?? "";
      const challenge = createHash("sha256").update(verifier).digest("base64url");
      if (challenges.get(form.get("code") ?? "") !== challenge) return refused("invalid_grant");
    }
    if (kind.endsWith("device_code")) {
      questions += 1;
      if (questions < 2) return refused("authorization_pending");
    }
    number += 1;
    refresh_token = `refresh-${number}`;
    valid.add(`access-${number}`);
    return [200, { access_token: `access-${number}`, refresh_token, expires_in: 3600, token_type: "Bearer" }];
  };
  const answer = async (request: IncomingMessage): Promise<readonly [number, object]> => {
    const form = new URLSearchParams(await text(request));
    if (request.url === "/token") return answerToken(form);
    const code = {
      device_code: "d",
      user_code: "WDJB-MJHT",
      verification_uri: "https://x.example/d",
      interval: 0.05,
    };
    return request.url === "/device" ? [200, code] : [404, {}];
  };
  const server = createServer(async (request, response) => {
    const [status, body] = await answer(request);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const message = writeMessage("one@x", { body: "The quince harvest." }).toString("latin1");
  const mail = await startHostileServer({
    CAPABILITY: "* CAPABILITY IMAP4rev1 SASL-IR AUTH=XOAUTH2\r\n",
    AUTHENTICATE(socket, tag, _name, rest) {
      const [, encoded = ""] = rest.split(" ");
      const [user, bearer = ""] = atob(encoded).split("\u0001");
      const token = user === "user=ada" ? bearer.replace("auth=Bearer ", "") : "";
      socket.write(`${tag} ${valid.has(token) ? "OK done" : "NO [AUTHENTICATIONFAILED] no"}\r\n`);
    },
    "UID FETCH": (socket, tag, _name, rest) => {
      const described = `* 1 FETCH (UID 1 FLAGS () RFC822.SIZE ${message.length})\r\n`;
      const downloaded = `* 1 FETCH (UID 1 BODY[] {${message.length}}\r\n${message})\r\n`;
      socket.write(`${rest.includes("BODY") ? downloaded : described}${tag} OK done\r\n`);
    },
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mail,
    requests,
    refreshToken: () => refresh_token,
    revokeAccess: () => valid.clear(),
    revokeAll() {
      valid.clear();
      refresh_token = "none";
    },
    approve(authorization_url) {
      const { searchParams } = new URL(authorization_url);
      const code = `code-${challenges.size}`;
      challenges.set(code, searchParams.get("code_challenge") ?? "");
      const back = new URL(searchParams.get("redirect_uri") ?? "");
      back.search = new URLSearchParams({ code, state: searchParams.get("state") ?? "" }).toString();
      return back;
    },
    async stop() {
      await mail.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

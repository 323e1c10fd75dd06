/** Where a connector uploads files while it runs: `POST /v1/blobs` on this machine, with a token for this run. */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { SourceTask } from "../live-source.ts";

/** An open intake. */
export interface BlobIntake {
  readonly url: string;
  readonly token: string;
  close(): Promise<void>;
}

const MIME_TYPE = /^[\w.+-]+\/[\w.+-]+$/;

/** Opens an intake for one run. It accepts files and serves none. */
export async function openBlobIntake(putBlob: SourceTask["putBlob"], max_bytes: number): Promise<BlobIntake> {
  const token = randomBytes(32).toString("base64url");
  const server = createServer((request, response) => {
    takeBlob(request, { putBlob, max_bytes, token })
      .then(([status, body]) => answer(response, status, body))
      .catch(() => answer(response, 500, { error: "The file could not be stored." }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

interface Intake {
  readonly putBlob: SourceTask["putBlob"];
  readonly max_bytes: number;
  readonly token: string;
}

async function takeBlob(
  request: IncomingMessage,
  { putBlob, max_bytes, token }: Intake,
): Promise<[number, object]> {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  if (request.method !== "POST" || url.pathname !== "/v1/blobs")
    return [404, { error: "Only POST /v1/blobs is answered." }];
  if (!isSame(request.headers.authorization ?? "", `Bearer ${token}`))
    return [401, { error: "The token is not that of this run." }];
  const named = url.searchParams.get("mime_type") ?? request.headers["content-type"]?.split(";")[0] ?? "";
  const mime_type = MIME_TYPE.test(named) ? named : "application/octet-stream";
  let size = 0;
  let isLarge = false;
  async function* read() {
    for await (const chunk of request) {
      size += (chunk as Buffer).length;
      isLarge = size > max_bytes;
      if (isLarge) throw new Error("too large");
      yield chunk as Uint8Array;
    }
  }
  try {
    return [201, { object: "blob", ...(await putBlob(read(), mime_type)) }];
  } catch (error) {
    if (isLarge) return [413, { error: `A file has at most ${max_bytes} bytes.` }];
    throw error;
  }
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json", Connection: "close" });
  response.end(JSON.stringify(body));
}

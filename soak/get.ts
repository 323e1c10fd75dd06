import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { CONTRACT_VERSION } from "@rungs/contract";
import type { Json } from "./ask.ts";

/** Sends a GET request with a token; throws unless the status is 200 or 206. */
export type Get = (path: string, token: string, headers?: IncomingHttpHeaders) => Promise<Json>;

/** Creates a client that sends many requests at once over keep-alive connections. */
export function createGet(url: string, connections: number): { get: Get; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const get: Get = (path, token, headers = {}) =>
    new Promise((resolve, reject) => {
      const options = {
        agent,
        headers: { "PDPP-Version": CONTRACT_VERSION, ...headers, Authorization: `Bearer ${token}` },
      };
      const call = request(url + path, options, (answer) => {
        const pieces: Buffer[] = [];
        answer.on("data", (piece: Buffer) => pieces.push(piece));
        answer.on("end", () => {
          const bytes = Buffer.concat(pieces);
          const isJson = answer.headers["content-type"]?.startsWith("application/json");
          if (answer.statusCode === 200) resolve(isJson ? JSON.parse(bytes.toString()) : bytes);
          else if (answer.statusCode === 206) resolve(bytes);
          else reject(new Error(`${path} was answered ${answer.statusCode}: ${bytes.toString()}`));
        });
      });
      call.on("error", (error: Error & { code?: string }) => {
        // The server closed an idle connection while the request was on its way: https://nodejs.org/api/http.html#requestreusedsocket
        const isRace = call.reusedSocket && error.code === "ECONNRESET";
        if (isRace) get(path, token, headers).then(resolve, reject);
        else reject(error);
      });
      call.end();
    });
  return { get, close: () => agent.destroy() };
}

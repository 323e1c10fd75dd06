/** An embedding service on loopback with the OpenAI API, which fails in the ways that real ones do. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { staticEmbedder } from "@rungs/store/internal/vectors/word-vectors";

/** What the service does with a request; a function decides by the texts. */
export type ServiceMode =
  | "answer"
  | "status"
  | "hang"
  | "cut"
  | "redirect"
  | "not_json"
  | "nan"
  | "too_few"
  | "other_dimensions";

export interface ReceivedRequest {
  readonly path: string;
  readonly key: string | undefined;
  readonly model: string;
  readonly input: readonly string[];
}

export interface EmbeddingService {
  readonly url: string;
  readonly received: ReceivedRequest[];
  mode: ServiceMode | ((input: readonly string[]) => ServiceMode);
  status: number;
  /** Where `redirect` points to. */
  location: string;
  close(): Promise<void>;
}

/** Starts a service whose vectors are those of the built-in embedder, with zeros up to `dimensions`. */
export async function startEmbeddingService(dimensions = 80): Promise<EmbeddingService> {
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await readBody(request)) as { model: string; input: string[] };
    const key = request.headers.authorization?.replace(/^Bearer /, "");
    service.received.push({ path: request.url ?? "", key, ...body });
    const mode = typeof service.mode === "function" ? service.mode(body.input) : service.mode;
    const vectors = await staticEmbedder.embed(body.input);
    const data = vectors.map((vector, index) => ({
      object: "embedding",
      index,
      embedding: pad(vector, dimensions),
    }));
    // In a different order from the texts: `index` decides.
    behaviours[mode](response, { object: "list", model: body.model, data: data.reverse() });
  });
  const behaviours: Record<
    ServiceMode,
    (
      response: ServerResponse,
      answer: { object: string; model: string; data: { embedding: number[] }[] },
    ) => void
  > = {
    answer: (response, answer) => response.end(JSON.stringify(answer)),
    status: (response) => response.writeHead(service.status).end('{"error":"no"}'),
    hang: () => undefined,
    cut: (response, answer) => {
      response.writeHead(200, { "content-length": "1000000" });
      response.write(JSON.stringify(answer).slice(0, 100), () => response.destroy());
    },
    redirect: (response) => response.writeHead(307, { location: service.location }).end(),
    not_json: (response) => response.end("<html>"),
    nan: (response, answer) => response.end(JSON.stringify(answer).replace(/\[-?\d[^,]*,/, "[null,")),
    too_few: (response, answer) => response.end(JSON.stringify({ ...answer, data: answer.data.slice(1) })),
    other_dimensions: (response, answer) =>
      response.end(
        JSON.stringify({
          ...answer,
          data: answer.data.map((one) => ({ ...one, embedding: one.embedding.slice(1) })),
        }),
      ),
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const service: EmbeddingService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    mode: "answer",
    status: 500,
    location: "",
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return service;
}

function pad(vector: Float32Array, dimensions: number): number[] {
  return [...vector, ...new Array<number>(dimensions - vector.length).fill(0)];
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

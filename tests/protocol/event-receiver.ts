/** A receiver of events that knows only CloudEvents and Standard Webhooks. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { Json } from "../../testing/world.ts";

export interface Received {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly event: Json;
}

/** A scripted receiver on loopback. */
export async function openReceiver(t: TestContext) {
  const received: Received[] = [];
  const answers: { status: number; headers?: Record<string, string> }[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const event = JSON.parse(text) as Json;
    received.push({ headers: request.headers, text, event });
    const { status, headers = {} } = answers.shift() ?? { status: 200 };
    response.writeHead(status, headers);
    response.end(JSON.stringify({ challenge: event.data.challenge }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return { url, received, answers, types: () => received.map(({ event }) => event.type) };
}

/** Verifies a message as the Standard Webhooks library does. */
export function verify({ headers, text }: Received, secret: string): void {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`;
  assert.equal(
    headers["webhook-signature"],
    `v1,${createHmac("sha256", key).update(signed).digest("base64")}`,
  );
}

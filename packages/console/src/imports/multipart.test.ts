import assert from "node:assert/strict";
import { test } from "node:test";
import { readFormParts } from "./multipart.ts";

const TYPE = "multipart/form-data; boundary=xYzZY";

function requestOf(bytes: Buffer, size: number, type = TYPE): Request {
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  const init = {
    method: "POST",
    headers: { "Content-Type": type },
    body: ReadableStream.from(pieces),
    duplex: "half",
  };
  return new Request("http://localhost/", init as RequestInit);
}

async function read(request: Request): Promise<[string, string | undefined, string][]> {
  const found: [string, string | undefined, string][] = [];
  for await (const { name, filename, content } of readFormParts(request)) {
    found.push([name, filename, Buffer.concat(await Array.fromAsync(content)).toString("latin1")]);
  }
  return found;
}

test("a form of a browser is read part by part, whatever the chunk size", async () => {
  const form = new FormData();
  form.append("form_token", "abc");
  form.append("file", new File(["line\r\n--not the end\r\n\u0000\u00ff"], 'a "b".mbox'));
  form.append("empty", "");
  const encoded = new Response(form);
  const type = encoded.headers.get("Content-Type")!;
  const bytes = Buffer.from(await encoded.arrayBuffer());
  for (const size of [1, 2, 7, 64, 100_000]) {
    assert.deepEqual(await read(requestOf(bytes, size, type)), [
      ["form_token", undefined, "abc"],
      ["file", 'a "b".mbox', Buffer.from("line\r\n--not the end\r\n\u0000\u00ff").toString("latin1")],
      ["empty", undefined, ""],
    ]);
  }
});

test("a form that breaks off, has no boundary or an endless header is refused", async () => {
  const whole = '--xYzZY\r\nContent-Disposition: form-data; name="a"\r\n\r\nvalue\r\n--xYzZY--\r\n';
  assert.deepEqual(await read(requestOf(Buffer.from(whole), 5)), [["a", undefined, "value"]]);
  await assert.rejects(read(requestOf(Buffer.from(whole.slice(0, 60)), 5)), { code: "invalid_request" });
  await assert.rejects(read(requestOf(Buffer.from(whole), 5, "text/plain")), {
    code: "unsupported_media_type",
  });
  const endless = `--xYzZY\r\n${"X-Y: z\r\n".repeat(10_000)}`;
  await assert.rejects(read(requestOf(Buffer.from(endless), 1000)), { code: "request_too_large" });
});

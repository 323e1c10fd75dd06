/** More than any batch of calls needs; larger bodies pass unchanged. */
const MAX_BYTES = 1024 ** 2;

/**
 * Removes cancellations of requests of the same batch. A cancelled request gets no answer, so a client that sent both at
 * once would wait until the connection closes.
 */
export async function keepBatchWhole(request: Request): Promise<Request> {
  const messages = parseList(await readStart(request.clone()).catch(() => ""));
  const ids = new Set(messages.map(({ id }) => id));
  const others = messages.filter(
    ({ method, params }) => method !== "notifications/cancelled" || !ids.has(params?.requestId),
  );
  if (others.length === messages.length) return request;
  const { url, method, headers, signal } = request;
  return new Request(url, { method, headers, signal, body: JSON.stringify(others) });
}

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown } | null;
}

/** Reads a body of at most `MAX_BYTES`; an empty string for a longer one. */
async function readStart({ body }: Request): Promise<string> {
  const reader = body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
    size += read.value.length;
    chunks.push(read.value);
    if (size <= MAX_BYTES) continue;
    // Not awaited: a cloned body finishes cancelling only when the other branch is read.
    void reader?.cancel();
    return "";
  }
  return Buffer.concat(chunks).toString();
}

/** The messages of a batch; empty for anything else. */
function parseList(text: string): Message[] {
  if (!/^\s*\[/.test(text)) return [];
  try {
    const list = JSON.parse(text) as unknown[];
    return list.filter((each): each is Message => typeof each === "object" && each !== null);
  } catch {
    return [];
  }
}

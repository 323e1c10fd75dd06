/** More than any batch of calls needs; larger bodies are not parsed. */
const MAX_BYTES = 1024 ** 2;

/** The parts of a JSON-RPC message that matter before the protocol's own code reads it. */
export interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown } | null | undefined;
}

/** The messages of a request's body, and whether they are a batch. Leaves the body unread. */
export async function readRpcMessages(request: Request): Promise<{ messages: Message[]; isBatch: boolean }> {
  const text = await readStart(request.clone()).catch(() => "");
  const isBatch = /^\s*\[/.test(text);
  try {
    const parsed: unknown = JSON.parse(text);
    return { messages: (isBatch ? (parsed as unknown[]) : [parsed]).filter(isMessage), isBatch };
  } catch {
    return { messages: [], isBatch };
  }
}

function isMessage(each: unknown): each is Message {
  return typeof each === "object" && each !== null;
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

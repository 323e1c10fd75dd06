/** The entry point of the process that reads an Outlook data file: answers each request with the next item. */
import "../extract/close-network.ts";
import { watchProcess } from "../extract/process-watch.ts";
import { type StoreItem, walkStore } from "./walk-store.ts";

/** Opens a data file, or asks for its next item. */
export type StoreRequest =
  | { readonly kind: "open"; readonly source: string | Uint8Array; readonly skip: number }
  | { readonly kind: "next" };

/** An item, the end of the file, or why it cannot be read. */
export type StoreAnswer = StoreItem | { readonly kind: "end" };

let items: Iterator<StoreItem> | undefined;

function answer(request: StoreRequest): StoreAnswer {
  try {
    if (request.kind === "open") {
      const { source, skip } = request;
      items = walkStore(typeof source === "string" ? source : Buffer.from(source), skip);
    }
    const next = items?.next();
    return !next || next.done ? { kind: "end" } : next.value;
  } catch (error) {
    const isEncrypted = error instanceof Error && error.message.includes("PST is encrypted");
    const reason = isEncrypted
      ? "It is an Outlook data file that is encrypted."
      : "It is an Outlook data file that is broken.";
    return { kind: "unreadable", reason };
  }
}

watchProcess(Number(process.argv[2]));
process.on("disconnect", () => process.exit());
process.on("message", (request: StoreRequest) => process.send?.(answer(request)));
process.send?.("ready");

import { once } from "node:events";
import type { LiveSource } from "../live-source.ts";
import { imapLimits as limits } from "./limits.ts";
import { openSession } from "./session.ts";

/** Waits until the server reports a change in the inbox (IDLE: RFC 2177). The other folders are looked at by the schedule. */
export const waitForMail: NonNullable<LiveSource["wait"]> = async (access, signal) => {
  const session = await openSession(access, signal);
  const { client, bound } = session;
  try {
    if (!client.capabilities.has("IDLE")) {
      await once(signal, "abort");
      return;
    }
    await bound(limits.short_bytes, () => client.mailboxOpen("INBOX", { readOnly: true }));
    const changed = Promise.withResolvers<void>();
    for (const event of ["exists", "expunge", "flags", "close"] as const)
      client.once(event, () => changed.resolve());
    signal.addEventListener("abort", () => changed.resolve(), { once: true });
    client.idle().catch(() => changed.resolve());
    await changed.promise;
  } finally {
    await session.close();
  }
};

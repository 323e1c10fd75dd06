import type { ChatMessage } from "./read-messages.ts";

const PARTICIPANTS_MAX = 2048;

/** Counts a chat's messages while they go by. */
export function createSummary(): { add(message: ChatMessage): void; facts(): object } {
  const participants = new Set<string>();
  let message_count = 0;
  let firstMs = Number.POSITIVE_INFINITY;
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    add({ sender, local_ms }) {
      message_count += 1;
      firstMs = Math.min(firstMs, local_ms);
      lastMs = Math.max(lastMs, local_ms);
      if (sender !== undefined && participants.size < PARTICIPANTS_MAX) participants.add(sender);
    },
    facts: () => ({
      participants: [...participants],
      message_count,
      ...(message_count === 0
        ? {}
        : { first_at: new Date(firstMs).toISOString(), last_at: new Date(lastMs).toISOString() }),
    }),
  };
}

import type { Message } from "./rpc-messages.ts";

/** The in-flight requests of an HTTP endpoint, by token and id: a cancellation arrives in a separate request (R57). */
export class Cancellations {
  readonly #running = new Map<string, Set<AbortController>>();

  /** Cancels the requests that the messages name. If two sessions of a token use the same id, cancels neither. */
  cancel(token: string, messages: readonly Message[]): void {
    for (const { method, params } of messages) {
      if (method !== "notifications/cancelled") continue;
      const running = this.#running.get(keyOf(token, params?.requestId)) ?? new Set();
      if (running.size === 1) for (const each of running) each.abort();
    }
  }

  /** Serves a request, and lets its messages be cancelled until it is answered. */
  async serve(
    token: string,
    messages: readonly Message[],
    answer: (cancelled: AbortSignal) => Promise<Response>,
  ): Promise<Response> {
    const controller = new AbortController();
    const keys = messages.filter(({ id }) => id !== undefined).map(({ id }) => keyOf(token, id));
    for (const key of keys) this.#add(key, controller);
    const end = () => {
      for (const key of keys) this.#remove(key, controller);
    };
    try {
      return endWith(await answer(controller.signal), end);
    } catch (error) {
      end();
      throw error;
    }
  }

  #add(key: string, controller: AbortController): void {
    this.#running.set(key, (this.#running.get(key) ?? new Set()).add(controller));
  }

  #remove(key: string, controller: AbortController): void {
    const running = this.#running.get(key);
    running?.delete(controller);
    if (running?.size === 0) this.#running.delete(key);
  }
}

function keyOf(token: string, id: unknown): string {
  return JSON.stringify([token, id ?? null]);
}

/** Calls `end` when the body of a response has been sent or dropped: the answer to a call may be a stream of events. */
function endWith(response: Response, end: () => void): Response {
  if (!response.body) {
    end();
    return response;
  }
  const passing = new TransformStream();
  void response.body
    .pipeTo(passing.writable)
    .catch(() => undefined)
    .finally(end);
  return new Response(passing.readable, response);
}

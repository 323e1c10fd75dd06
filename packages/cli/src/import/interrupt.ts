/** Runs work that Ctrl-C asks to stop at the next good place; a second one ends the program as always. */
export async function withInterrupt<T>(work: (stop: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.once(signal, stop);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of signals) process.removeListener(signal, stop);
  }
}

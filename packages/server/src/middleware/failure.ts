/** Where a bug was met: its kind and the places of its stack, without the message, which may hold anything. */
export function formatFailure(thrown: unknown): string[] {
  if (!(thrown instanceof Error)) return [typeof thrown];
  const frames = (thrown.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return [thrown.name, ...frames.slice(0, 8).map((frame) => frame.trim())];
}

/** Which checkpoint covers which stream of a connector (Collection Profile §1, Checkpoint dependency). */
import type { Problem } from "../errors/problem.ts";

/** What a stream declares about its checkpoint. */
interface CheckpointStream {
  readonly name: string;
  readonly state_stream?: string | undefined;
  readonly parent_streams?: readonly string[] | undefined;
  readonly coverage_strategy?: string | undefined;
}

/** The streams whose checkpoints cover a stream: its own where it declares no other. */
export function listCheckpoints({ name, state_stream, parent_streams }: CheckpointStream): readonly string[] {
  return parent_streams ?? [state_stream ?? name];
}

/** Finds the first declaration for which no order of checkpoints exists. */
export function findCheckpointProblem(streams: readonly CheckpointStream[]): Problem | undefined {
  const names = new Set(streams.map(({ name }) => name));
  for (const [at, stream] of streams.entries()) {
    const { name, state_stream, parent_streams, coverage_strategy } = stream;
    const parents = parent_streams ?? (state_stream === undefined ? undefined : [state_stream]);
    if (!parents) continue;
    const path = ["streams", at, parent_streams ? "parent_streams" : "state_stream"];
    const strategy = parent_streams ? "parent_detail_accounting" : "checkpoint_window";
    if (parent_streams && state_stream !== undefined)
      return { path, message: "cannot be combined with state_stream" };
    if (parents.length === 0) return { path, message: "names no stream" };
    if (new Set(parents).size < parents.length) return { path, message: "names a stream twice" };
    if (parents.includes(name)) return { path, message: "names the stream itself" };
    if (parents.some((parent) => !names.has(parent)))
      return { path, message: "names a stream that is not declared" };
    if (coverage_strategy !== strategy) return { path, message: `needs the coverage_strategy ${strategy}` };
  }
  const looped = streams.findIndex(({ name }) => isInLoop(name, streams));
  return looped < 0
    ? undefined
    : { path: ["streams", looped], message: "depends on its own checkpoint through other streams" };
}

function isInLoop(start: string, streams: readonly CheckpointStream[]): boolean {
  const parents = new Map(
    streams.map((stream) => [stream.name, listCheckpoints(stream).filter((each) => each !== stream.name)]),
  );
  const seen = new Set<string>();
  const open = [...(parents.get(start) ?? [])];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name === start) return true;
    if (seen.has(name)) continue;
    seen.add(name);
    open.push(...(parents.get(name) ?? []));
  }
  return false;
}

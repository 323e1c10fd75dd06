/** Which checkpoints of a run may be stored (Collection Profile §3, Eligible-checkpoint algorithm). */
import { type ConnectorStream, listCheckpoints } from "@rungs/contract";
import { type MessageOf, refuse } from "./messages.ts";

/** Collects what a run says about its completeness. */
export interface Coverage {
  skip(message: MessageOf<"SKIP_RESULT">): void;
  cover(message: MessageOf<"DETAIL_COVERAGE">): void;
  leaveGap(message: MessageOf<"DETAIL_GAP">): void;
  /** Whether a named stream failed while others did not. */
  hasFailedStream(): boolean;
  /** The streams whose checkpoints are not proven. */
  listUnproven(): ReadonlySet<string>;
}

/** The reason that names a stream which failed by itself. */
const FAILED = "stream_collection_failed";

type Key = string | number;

/** Creates a collector for the streams of a run. */
export function createCoverage(streams: readonly ConnectorStream[], max_keys: number): Coverage {
  const byName = new Map(streams.map((stream) => [stream.name, stream]));
  const failed = new Set<string>();
  const gaps = new Set<string>();
  const reports = new Map<string, { readonly message: MessageOf<"DETAIL_COVERAGE"> }>();
  let keys = 0;
  const count = (more: number) => {
    keys += more;
    if (keys > max_keys) throw refuse("The connector reports on more records than Rungs counts.");
  };
  return {
    skip({ stream, reason }) {
      if (reason === FAILED && stream !== undefined && byName.has(stream)) failed.add(stream);
    },
    cover(message) {
      const { stream, state_stream, required_keys, hydrated_keys, gap_keys = [] } = message;
      const declared = byName.get(stream);
      const isKnown = declared && byName.has(state_stream);
      if (!isKnown || declared.state_stream !== undefined)
        throw refuse("The connector reports the coverage of a stream that has none to report.");
      if (declared.parent_streams && !declared.parent_streams.includes(state_stream))
        throw refuse("The connector reports the coverage of a stream that its manifest does not name.");
      count(required_keys.length + hydrated_keys.length + gap_keys.length);
      for (const some of [required_keys, hydrated_keys, gap_keys])
        if (new Set(some.map(String)).size < some.length)
          throw refuse("The connector names a record twice in one report.");
      const required = new Set(required_keys.map(String));
      if ([...hydrated_keys, ...gap_keys].some((key) => !required.has(String(key))))
        throw refuse("The connector reports a record that it did not have to read.");
      reports.set(JSON.stringify([stream, state_stream]), { message });
    },
    leaveGap({ stream, parent_stream, record_key }) {
      const declared = byName.get(stream);
      if (!declared || record_key === undefined) return;
      count(1);
      const parents = listCheckpoints(declared);
      const parent = parent_stream ?? (parents.length === 1 ? parents[0] : undefined);
      if (parent !== undefined) gaps.add(nameGap(stream, parent, record_key));
    },
    hasFailedStream: () => failed.size > 0,
    listUnproven() {
      const unproven = new Set<string>();
      for (const name of failed)
        for (const parent of listCheckpoints(byName.get(name) ?? { name })) unproven.add(parent);
      for (const { message } of reports.values())
        if (!isComplete(message, gaps)) unproven.add(message.state_stream);
      for (const { name, parent_streams = [] } of streams)
        for (const parent of parent_streams)
          if (!reports.has(JSON.stringify([name, parent]))) unproven.add(parent);
      return unproven;
    },
  };
}

function isComplete(message: MessageOf<"DETAIL_COVERAGE">, gaps: ReadonlySet<string>): boolean {
  const { stream, state_stream, required_keys, hydrated_keys, gap_keys = [] } = message;
  const done = new Set(hydrated_keys.map(String));
  for (const key of gap_keys) if (gaps.has(nameGap(stream, state_stream, key))) done.add(String(key));
  return required_keys.every((key) => done.has(String(key)));
}

function nameGap(stream: string, parent: string, key: Key): string {
  return JSON.stringify([stream, parent, String(key)]);
}

/** How much of each value an answer contains: `view=whole` or `view=preview`. */
import { type ReadScope, VALUE_CHARS } from "@rungs/contract";
import { shareOut } from "@rungs/evidence";
import type { FieldSlice, Store, StoredCut, StoredRecord, TextRange, ValueLimits } from "@rungs/store";

/** Longer values of a whole record are streamed, and never held in memory. */
const LOADED = { value_chars: 65_536, record_chars: 131_072 } as const;

const PREVIEW = {
  value_chars: VALUE_CHARS.preview.value,
  record_chars: VALUE_CHARS.preview.record,
} as const;

/** What the store loads of each record, and which of the values that it cut are streamed into the answer. */
export interface ValueView {
  readonly limits: ValueLimits;
  /** The cut values to stream. */
  chooseStreamed(record: StoredRecord): readonly StoredCut[];
  /** Reads a piece of a value to stream. */
  read(record: StoredRecord, path: string, range: TextRange): Promise<FieldSlice | undefined>;
}

interface ViewChoice {
  readonly view?: "whole" | "preview" | undefined;
  /** The most that the values of a whole record may total. */
  readonly record_chars?: number;
}

/** Creates the view that a request asks for; records are whole unless it asks for previews. */
export function createView(
  { view = "whole", record_chars = VALUE_CHARS.whole.record }: ViewChoice,
  scope: ReadScope,
  store: Store,
): ValueView {
  const isPreview = view === "preview";
  return {
    limits: isPreview ? PREVIEW : { ...LOADED, page_chars: VALUE_CHARS.whole.page },
    chooseStreamed: ({ cuts }) => (isPreview ? [] : chooseWhole(cuts, record_chars - LOADED.record_chars)),
    read: (record, path, range) => store.readField(scope, record, path, range),
  };
}

/** The cut values that are whole within `chars` together: short ones first. */
function chooseWhole(cuts: readonly StoredCut[], chars: number): StoredCut[] {
  const sizes = cuts.map(({ size_chars }) => size_chars);
  const shares = shareOut(sizes, chars);
  return cuts.filter(({ size_chars }, at) => size_chars <= shares[at]!);
}

/**
 * The chosen streams, a page at a time. A hidden field keeps the controls of those on other pages, so that the form has the
 * whole choice without a script, and the server keeps none.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { ApiError } from "@rungs/contract";
import type { ChosenStream, GrantableStreams } from "@rungs/server";
import type { SubmittedChoice } from "./read-choice.ts";

/**
 * Up to the first number, all chosen streams share one page; beyond it, a page shows the second number, each with its
 * narrowing and its preview.
 */
const [FEW_STREAMS, PAGE_STREAMS] = [12, 3];
/** The limit of unpacking: a few packed bytes must not keep the server busy for seconds. */
const [KEPT_BYTES, KEPT_STREAMS] = [4_000_000, 10_000];

/** A page of the chosen streams. */
export interface ChosenPage {
  readonly number: number;
  readonly count: number;
  /** The place of the first one shown, from 0. */
  readonly first: number;
  /** How many the filter finds. */
  readonly found: number;
  readonly shown: readonly ChosenStream[];
  readonly kept: readonly ChosenStream[];
}

/** The page that the choice asks for, of the chosen streams that its filter finds. */
export function pageChosen(choice: SubmittedChoice, offered: readonly GrantableStreams[]): ChosenPage {
  const { streams } = choice.decision;
  const isFew = streams.length <= FEW_STREAMS;
  const found = isFew ? streams : streams.filter((each) => isFound(each, choice, offered));
  const size = isFew ? FEW_STREAMS : PAGE_STREAMS;
  const count = Math.max(1, Math.ceil(found.length / size));
  const ticked = found.findIndex((each) => nameStream(each) === choice.ticked);
  const asked = ticked < 0 ? (choice.page ?? 1) : Math.floor(ticked / size) + 1;
  const number = Math.max(1, Math.min(asked, count));
  const first = (number - 1) * size;
  const shown = found.slice(first, first + size);
  return {
    number,
    count,
    first,
    found: found.length,
    shown,
    kept: streams.filter((each) => !shown.includes(each)),
  };
}

function isFound(
  { connection_id, stream }: ChosenStream,
  { filter }: SubmittedChoice,
  offered: readonly GrantableStreams[],
): boolean {
  const group = offered.find((each) => each.connection_id === connection_id);
  const label = group?.streams.find((each) => each.stream === stream)?.label;
  return matchesFilter(`${group?.display_name} ${label}`, filter);
}

export function matchesFilter(name: string, filter: string): boolean {
  return name.toLowerCase().includes(filter.toLowerCase());
}

/** The common control name of packed streams, so that equal choices compress into a few bytes. */
export const PACKED_NAME = "*";

/** Packs chosen streams, by their names with their controls, into the value of one control. */
export function packStreams(streams: ReadonlyMap<string, URLSearchParams>): string {
  if (streams.size === 0) return "";
  const lines = Array.from(streams, ([name, controls]) => `${encodeURIComponent(name)} ${controls}`);
  return deflateRawSync(lines.join("\n")).toString("base64url");
}

export function unpackStreams(packed: string): ReadonlyMap<string, URLSearchParams> {
  if (packed === "") return new Map();
  try {
    const bytes = inflateRawSync(Buffer.from(packed, "base64url"), { maxOutputLength: KEPT_BYTES });
    const lines = bytes.toString().split("\n", KEPT_STREAMS + 1);
    if (lines.length > KEPT_STREAMS) throw new RangeError("There are too many.");
    return new Map(
      lines.map((line) => {
        const [name = "", controls] = line.split(" ");
        return [decodeURIComponent(name), new URLSearchParams(controls)];
      }),
    );
  } catch {
    throw new ApiError("invalid_request", {
      message: "The form did not arrive whole.",
      next: "Open the page again and choose once more.",
    });
  }
}

export function nameStream({
  connection_id,
  stream,
}: Pick<ChosenStream, "connection_id" | "stream">): string {
  return `${connection_id}/${stream}`;
}

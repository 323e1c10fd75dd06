import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyText } from "../../../../testing/arbitraries.ts";
import { countBytes, countChars, sliceChars } from "../text/code-points.ts";
import { type CutWindow, cutWindow, fitWindow, requestNeighbours } from "./window.ts";
import { planWindow, type WindowRequest } from "./window-request.ts";

interface Slack {
  readonly slack?: number;
  readonly max_bytes?: number;
}

/** Reads as a store does: the planned range and `slack` more, up to the end of the field. */
function read(text: string, request: WindowRequest, { slack = 0, max_bytes }: Slack = {}): CutWindow {
  const plan = planWindow(request);
  const start_chars = Math.max(0, plan.start_chars - slack);
  const slice = { text: sliceChars(text, start_chars, plan.end_chars + slack), start_chars };
  const size_chars = countChars(text);
  const window =
    max_bytes === undefined
      ? cutWindow(request, slice, size_chars)
      : fitWindow(request, slice, size_chars, (cut) => countBytes(cut) / max_bytes);
  assert.equal(
    window.text,
    sliceChars(text, window.start_chars, window.end_chars),
    "the range says what the text is",
  );
  assert.ok(window.text !== "" || !window.has_next, "no window is empty while text is left");
  return window;
}

function readAll(
  text: string,
  first: WindowRequest,
  way: "next" | "previous",
  limit_chars: number,
): CutWindow[] {
  const windows: CutWindow[] = [];
  let request: WindowRequest | undefined = first;
  while (request) {
    const window = read(text, request);
    windows.push(window);
    request = requestNeighbours(window, limit_chars)[way];
  }
  return windows;
}

const joined = (windows: readonly CutWindow[]) => windows.map((window) => window.text).join("");

test("R22 any text read forwards by windows of any size joins to the same text", () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 90 }), (text, limit_chars) => {
      const windows = readAll(text, { kind: "forward", start_chars: 0, limit_chars }, "next", limit_chars);
      assert.equal(joined(windows), text);
      for (const window of windows) assert.ok(countChars(window.text) <= limit_chars);
    }),
    { numRuns: 500 },
  );
});

test("R22 any text read backwards by windows of any size joins to the same text", () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 90 }), (text, limit_chars) => {
      const end_chars = countChars(text);
      const windows = readAll(text, { kind: "backward", end_chars, limit_chars }, "previous", limit_chars);
      assert.equal(joined(windows.reverse()), text);
      for (const window of windows) assert.ok(countChars(window.text) <= limit_chars);
    }),
    { numRuns: 500 },
  );
});

test("R22 from any position, the windows before and after join to the same text", () => {
  fc.assert(
    fc.property(anyText, fc.nat(200), fc.integer({ min: 1, max: 90 }), (text, start, limit_chars) => {
      const start_chars = Math.min(start, Math.max(0, countChars(text) - 1));
      const after = readAll(text, { kind: "forward", start_chars, limit_chars }, "next", limit_chars);
      const { previous } = requestNeighbours(after[0]!, limit_chars);
      const before = previous ? readAll(text, previous, "previous", limit_chars).reverse() : [];
      assert.equal(after[0]!.start_chars, start_chars, "the start is exact");
      assert.equal(joined(before) + joined(after), text);
    }),
  );
});

test("R22 a window ends at a grapheme border, unless its only grapheme is longer", () => {
  const family = "👨‍👩‍👧‍👦";
  const text = `ab${family}cd`;
  assert.equal(read(text, { kind: "forward", start_chars: 0, limit_chars: 5 }).text, "ab");
  assert.equal(read(text, { kind: "forward", start_chars: 2, limit_chars: 3 }).text, "👨‍👩");
  assert.equal(read("a\r\nb", { kind: "forward", start_chars: 0, limit_chars: 2 }).text, "a");
  assert.equal(read(text, { kind: "backward", end_chars: 11, limit_chars: 5 }).text, "cd");
  assert.equal(
    read(`a${"\u0301".repeat(500)}`, { kind: "forward", start_chars: 0, limit_chars: 200 }).end_chars,
    200,
  );
});

test("R22 complete means the window is the entire field", () => {
  const whole = read("tea", { kind: "forward", start_chars: 0, limit_chars: 3 });
  assert.deepEqual(whole, {
    text: "tea",
    start_chars: 0,
    end_chars: 3,
    complete: true,
    has_previous: false,
    has_next: false,
  });
  const rest = read("tea", { kind: "forward", start_chars: 1, limit_chars: 9 });
  assert.deepEqual([rest.complete, rest.has_previous, rest.has_next], [false, true, false]);
  assert.equal(read("", { kind: "forward", start_chars: 0, limit_chars: 9 }).complete, true);
});

test("R22 an offset at or after the end gives an empty window at the end, with only a previous window", () => {
  for (const start_chars of [3, 4, 1_000_000]) {
    const window = read("tea", { kind: "forward", start_chars, limit_chars: 9 });
    assert.deepEqual(window, {
      text: "",
      start_chars: 3,
      end_chars: 3,
      complete: false,
      has_previous: true,
      has_next: false,
    });
  }
});

test("R23 a window around a match contains the whole match for any limit", () => {
  const request = fc.record({
    before_chars: fc.nat(60),
    after_chars: fc.nat(60),
    limit_chars: fc.option(fc.integer({ min: 1, max: 90 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(
      anyText,
      fc.nat(200),
      fc.integer({ min: 1, max: 20 }),
      request,
      (text, at, length, around) => {
        const size = countChars(text);
        fc.pre(at < size);
        const match = { start_chars: at, end_chars: Math.min(size, at + length) };
        const window = read(text, { kind: "match", match, ...around });
        assert.ok(window.start_chars <= match.start_chars && window.end_chars >= match.end_chars);
        assert.ok(window.start_chars >= match.start_chars - around.before_chars);
        assert.ok(window.end_chars <= match.end_chars + around.after_chars);
        const matchChars = match.end_chars - match.start_chars;
        assert.ok(countChars(window.text) <= Math.max(matchChars, around.limit_chars ?? 200));
      },
    ),
    { numRuns: 500 },
  );
});

test("a window can be narrowed to a number of bytes, and still joins", () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 4, max: 60 }), (text, max_bytes) => {
      let request: WindowRequest | undefined = { kind: "forward", start_chars: 0, limit_chars: 80 };
      let all = "";
      while (request) {
        const window: CutWindow = read(text, request, { max_bytes });
        assert.ok(countBytes(window.text) <= max_bytes);
        all += window.text;
        request = requestNeighbours(window, 80).next;
      }
      assert.equal(all, text);
    }),
  );
  const match = { start_chars: 10, end_chars: 20 };
  const around = { kind: "match", match, before_chars: 10, after_chars: 10 } as const;
  assert.equal(read("漢".repeat(50), around, { max_bytes: 8 }).text, "漢".repeat(10));
});

test("R25 a store that reads more than was planned changes nothing", () => {
  const anyRequest: fc.Arbitrary<WindowRequest> = fc.oneof(
    fc.record({
      kind: fc.constant("forward"),
      start_chars: fc.nat(150),
      limit_chars: fc.integer({ min: 1, max: 90 }),
    }),
    fc.record({
      kind: fc.constant("backward"),
      end_chars: fc.integer({ min: 1, max: 150 }),
      limit_chars: fc.integer({ min: 1, max: 90 }),
    }),
  );
  fc.assert(
    fc.property(anyText, anyRequest, fc.nat(100), (text, request, slack) => {
      fc.pre(request.kind === "forward" || countChars(text) >= 150);
      const window = read(text, request, { slack });
      assert.deepEqual(window, read(text, request));
      if (request.kind === "backward") assert.equal(window.end_chars, request.end_chars);
      if (request.kind === "forward")
        assert.equal(window.start_chars, Math.min(request.start_chars, countChars(text)));
    }),
    { numRuns: 500 },
  );
});

test("R25 a plan reads the window and 64 characters around its free side for any field size", () => {
  assert.deepEqual(planWindow({ kind: "forward", start_chars: 5000, limit_chars: 100 }), {
    start_chars: 5000,
    end_chars: 5164,
  });
  assert.deepEqual(planWindow({ kind: "backward", end_chars: 5000, limit_chars: 100 }), {
    start_chars: 4836,
    end_chars: 5000,
  });
  const match = { start_chars: 100, end_chars: 110 };
  assert.deepEqual(planWindow({ kind: "match", match, before_chars: 50, after_chars: 50 }), {
    start_chars: 0,
    end_chars: 224,
  });
});

test("a slice that does not cover the window is a bug, not a shorter window", () => {
  const request = { kind: "forward", start_chars: 0, limit_chars: 10 } as const;
  assert.throws(() => cutWindow(request, { text: "tea", start_chars: 0 }, 20), RangeError);
});

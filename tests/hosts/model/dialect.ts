/** How a host speaks to its model: one dialect for each wire format. */

// biome-ignore lint/suspicious/noExplicitAny: other people's requests, read member by member.
export type Json = any;

/** A reply of the scripted model: a tool call, or its final text. */
export type Reply = ToolUse | { readonly text: string };

export interface ToolUse {
  readonly call_id: string;
  /** As the host lists the tool. */
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What a request contains for the model. */
export interface Turn {
  /** The names of the tools that the model may call. */
  readonly tools: readonly string[];
  /** The result of each call in the request. */
  readonly results: ReadonlyMap<string, unknown>;
}

/** A wire format: matches its requests, parses them, and writes replies as server-sent events. */
export interface Dialect {
  readonly path: RegExp;
  readTurn(body: Json): Turn;
  writeEvents(reply: Reply): readonly Json[];
}

/** Writes events as a stream; those with a type are named by it. */
export function writeStream(events: readonly Json[]): string {
  return events
    .map((event) => {
      const data = typeof event === "string" ? event : JSON.stringify(event);
      return `${event.type === undefined ? "" : `event: ${event.type}\n`}data: ${data}\n\n`;
    })
    .join("");
}

import {
  chooseNearest,
  findMostDetail,
  operations,
  presentRecord,
  renderThread,
  THREAD_REACH,
  type Thread,
} from "@rungs/contract";
import { openRecord, parseRecordId } from "@rungs/evidence";
import { z } from "zod";
import { createRenderOptions, repeatCall, writeAnswer } from "../answer.ts";
import { budgetPageText, countJson, leaveOut, STRUCTURED_BYTES } from "../limits.ts";
import { linkRecords } from "../links.ts";
import { looseOutput } from "../schemas.ts";
import { structureRecords } from "../structure-records.ts";
import { defineTool } from "../tool.ts";

const { before, after } = operations.read_thread.input.shape;
const ROW_BYTES = 600;
/** Calls that only the smaller answer has. */
const CALLS_BYTES = 800;

/** `read_thread`: what was said before and after a record (R66). */
export const readThreadTool = defineTool({
  name: "read_thread",
  title: "Read around a record",
  description:
    "Shows the records before and after a record in its thread (a chat, a chain of mail), in order, with the calls for earlier and later ones. An answer is often in the next message.",
  input: z.strictObject({
    id: z.string().describe("An id exactly as shown."),
    before,
    after,
  }),
  output: looseOutput,
  async answer(input, { client, base_url }) {
    const { connection_id, stream, record_id: id } = parseRecordId(input.id);
    const structure = (thread: Thread) => structureThread(thread, base_url);
    const ask = (reach: Reach) =>
      client.call("read_thread", { connection_id, stream, id, view: "preview", ...reach });
    const asked = {
      before: input.before ?? THREAD_REACH.default,
      after: input.after ?? THREAD_REACH.default,
    };
    const whole = await ask(asked);
    const reach = chooseReach(whole, structure);
    const thread = reach ? await ask(reach) : whole;
    const structured = leaveOut(structure(thread));
    const text = renderThread(
      thread,
      repeatCall("read_thread", input),
      createRenderOptions(budgetPageText(structured)),
    );
    const views = thread.data.map((record) => presentRecord(record, ROW_BYTES).view);
    return writeAnswer({
      text,
      structured,
      meta: linkRecords(
        views.map((view) => ({ ref: view.record, calls: view.fields.map(({ next }) => next) })),
      ),
    });
  },
});

interface Reach {
  readonly before: number;
  readonly after: number;
}

/** How far to read on either side so that the structured form fits; undefined when the answer fits as it is (R14). */
function chooseReach(thread: Thread, structure: (thread: Thread) => unknown): Reach | undefined {
  const count = thread.data.length;
  const at = thread.data.findIndex(({ handle }) => handle === thread.anchor);
  if (count <= 1 || countJson(structure(thread)) <= STRUCTURED_BYTES) return undefined;
  const isWithin = (shown: number) => {
    const { start, end } = chooseNearest(count, at, shown);
    const bytes = countJson(structure({ ...thread, data: thread.data.slice(start, end) }));
    return bytes + CALLS_BYTES <= STRUCTURED_BYTES;
  };
  const shown = findMostDetail({ least: 1, most: count - 1 }, isWithin) ?? 1;
  const { start, end } = chooseNearest(count, at, shown);
  return { before: at - start, after: end - 1 - at };
}

function structureThread(
  { data, before: earlier, after: later, ...thread }: Thread,
  base_url: string | undefined,
) {
  return structureRecords(data, base_url, ({ results, records, rows, ...others }) => ({
    results,
    content_ladder: {
      records,
      ...openRecord(thread.anchor),
      ...(earlier && { earlier }),
      ...(later && { later }),
    },
    data: { ...thread, ...rows },
    ...others,
  }));
}

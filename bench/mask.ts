/** A window of masked text costs as much as any other window; masking adds only a copy of the records. */
import { countChars } from "@rungs/evidence";
import { createTestGrant } from "../testing/store/world.ts";
import { benchScope, CONNECTION, type Engine, OWNER } from "./engines.ts";
import { printTable, ratio, show, summarize } from "./measure.ts";
import { mixedText } from "./windows.ts";

const WINDOW = 4_096;
const TURNS = 1_000;
const MASKS = { fields: ["subject", "body"], kinds: ["phone" as const, "email" as const] };

export async function benchMask(
  { name, store }: Engine,
  sizes: Readonly<Record<string, number>>,
): Promise<void> {
  const piece = `${mixedText(2_000)} call +49 171 2345678 or jo@example.org `;
  const written: Record<string, number> = {};
  for (const [label, bytes] of Object.entries(sizes)) {
    const body = piece.repeat(Math.ceil(bytes / Buffer.byteLength(piece)));
    const data = { id: label, subject: label, body };
    const started = performance.now();
    await store.ingest(OWNER, CONNECTION, [
      { stream: "messages", key: label, emitted_at: "2026-01-01T00:00:00Z", data },
    ]);
    written[label] = performance.now() - started;
  }
  const [detail] = createTestGrant("masked").authorization_details;
  if (!detail) return;
  const streams = [{ name: "messages", instance_ids: [CONNECTION], fields: ["id"], masks: MASKS }];
  await store.putGrant(OWNER, createTestGrant("masked", { authorization_details: [{ ...detail, streams }] }));
  const started = performance.now();
  while ((await store.copyMasked(OWNER)).state === "progress");
  const copied = performance.now() - started;
  const ingested = Object.values(written).reduce((sum, each) => sum + each, 0);
  const masked = { ...benchScope, streams: benchScope.streams.map((each) => ({ ...each, masks: MASKS })) };
  const rows: string[][] = [];
  for (const label of Object.keys(sizes)) {
    const ref = { connection_id: CONNECTION, stream: "messages", record_id: label };
    const total = (await store.describeField(masked, ref, "body"))?.size_chars ?? countChars(piece);
    const times: number[][] = [[], []];
    for (let turn = 0; turn < TURNS; turn += 1) {
      const start = Math.floor((((turn * 7_919) % TURNS) / TURNS) * (total - WINDOW));
      for (const [at, scope] of [benchScope, masked].entries()) {
        const asked = performance.now();
        await store.readField(scope, ref, "body", { start, end: start + WINDOW });
        times[at]?.push(performance.now() - asked);
      }
    }
    const [plain, hidden] = times.map(summarize);
    if (plain && hidden) rows.push([label, show(plain), show(hidden), ratio(hidden.median / plain.median)]);
  }
  printTable(
    `${name}: windows under a grant that masks phone numbers and e-mail addresses; copying took ${ratio(copied / ingested)} of the time of writing`,
    ["field", "plain", "masked", "ratio"],
    rows,
  );
}

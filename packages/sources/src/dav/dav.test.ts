import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { makeCard, makeEvent } from "../../../../testing/dav/dav-server.ts";
import { createDavWorld, createPlainWorld, type DavWorld } from "../../../../testing/dav/dav-world.ts";
import { engines } from "../../../../testing/engines.ts";
import { Random } from "../../../../testing/random.ts";
import { readSize } from "../../../../testing/sizes.ts";

const STEPS = readSize("RUNGS_DAV_STEPS");

for (const engine of Object.keys(engines))
  test(`R76 calendars are read, and read again after changes (${engine})`, async (t) => {
    const { writer, ...world } = await open(t, createDavWorld({ engine }));
    await writer.addCalendar("home", "Zu Hause & 家");
    await writer.put("home/a.ics", makeEvent("a", "Dentist"));
    await writer.put("home/b%20%E6%9D%B1.ics", makeEvent("b", "Räum <auf> & 東京"));
    const { added } = await world.sync();
    assert.equal(added, 2);
    assert.deepEqual(await listEvents(world), [
      "a Dentist in Zu Hause & 家",
      "b Räum <auf> & 東京 in Zu Hause & 家",
    ]);
    await writer.put("home/a.ics", makeEvent("a", "Dentist\\, later"));
    await writer.remove("home/b%20%E6%9D%B1.ics");
    const { changed, deleted } = await world.sync();
    assert.deepEqual([changed, deleted], [1, 1]);
    assert.deepEqual(await listEvents(world), ["a Dentist, later in Zu Hause & 家"]);
  });

test("R76 an exception of a recurring event is a record, and is deleted with the event", async (t) => {
  const { writer, ...world } = await open(t, createDavWorld());
  const exception = makeEvent("a", "Moved").replace("SUMMARY", "RECURRENCE-ID:20260512T100000Z\r\nSUMMARY");
  const [, inner = ""] = /(BEGIN:VEVENT.*END:VEVENT)/s.exec(exception) ?? [];
  const weekly = (more = "") =>
    makeEvent("a", "Weekly", more).replace("SUMMARY", "RRULE:FREQ=WEEKLY\r\nSUMMARY");
  await writer.addCalendar("home");
  await writer.put("home/a.ics", weekly(inner));
  await world.sync();
  assert.deepEqual(await listEvents(world), ["a Moved in home", "a Weekly in home"]);
  await writer.put("home/a.ics", weekly());
  await world.sync();
  assert.deepEqual(await listEvents(world), ["a Weekly in home"]);
});

test("R76 contacts are read from address books", async (t) => {
  const { writer, ...world } = await open(t, createDavWorld({ kind: "carddav" }));
  await writer.addAddressBook("people");
  await writer.put("people/x.vcf", makeCard("x", "Ann"));
  await writer.put("people/y.vcf", makeCard("y", "Ünal 山田"));
  await world.sync();
  const names = (await world.read("contacts")).map(({ name }) => name);
  assert.deepEqual(names.sort(), ["Ann", "Ünal 山田"]);
});

test("R76 a run with nothing new costs the same few requests, whatever the account has", async (t) => {
  const { writer, server, ...world } = await open(t, createPlainWorld({ changes: { part: 100 } }));
  const countIdle = async () => {
    await world.sync();
    const before = server.countRequests();
    await world.sync();
    return server.countRequests() - before;
  };
  await writer.addCalendar("one");
  await writer.put("one/a.ics", makeEvent("a", "A"));
  const few = await countIdle();
  for (let at = 0; at < 6; at += 1) {
    await writer.addCalendar(`more${at}`);
    await writer.put(`more${at}/x.ics`, makeEvent(`x${at}`, "X"));
  }
  assert.equal(await countIdle(), few);
});

test("R76 an object that cannot be read is reported once, and the others are read", async (t) => {
  const { writer, ...world } = await open(t, createPlainWorld());
  await writer.addCalendar("home");
  await writer.put("home/a.ics", makeEvent("a", "A"));
  await writer.put("home/broken.ics", "nothing of a calendar");
  const { rejected } = await world.sync();
  assert.deepEqual([rejected, await listEvents(world)], [1, ["a A in home"]]);
  await writer.put("home/b.ics", makeEvent("b", "B"));
  assert.equal((await world.sync()).rejected, 0);
});

const servers: Readonly<Record<string, () => Promise<DavWorld & { forget?: () => void }>>> = {
  "a real server": () => createDavWorld(),
  "a server without lists of changes": () => createPlainWorld(),
  async "a server that lists changes in parts and forgets its tokens"() {
    const world = await createPlainWorld({ changes: { part: 2 } });
    return { ...world, forget: () => world.server.forgetTokens() };
  },
};

for (const [name, create] of Object.entries(servers))
  test(`R76 after any history the store has what the server has: ${name}`, async (t) => {
    const world = await open(t, create());
    const { writer, server } = world;
    const random = new Random(20);
    /** Titles of calendars, and the summaries of their events by uid. */
    const calendars = new Map<string, { title: string; events: Map<string, string> }>();
    const steps: readonly (() => Promise<void> | void)[] = [
      async () => {
        const calendar = `c${random.below(4)}`;
        if (calendars.has(calendar)) return;
        calendars.set(calendar, { title: calendar, events: new Map() });
        await writer.addCalendar(calendar);
      },
      async () => {
        const calendar = `c${random.below(4)}`;
        if (random.below(4) > 0 || !calendars.delete(calendar)) return;
        await writer.remove(`${calendar}/`);
      },
      async () => {
        const calendar = `c${random.below(4)}`;
        const found = calendars.get(calendar);
        if (!found) return;
        found.title = `${calendar} named ${random.below(100)}`;
        await writer.rename(calendar, found.title);
      },
      ...Array.from({ length: 6 }, () => put),
      async () => {
        const [calendar, found] = random.pick([...calendars, undefined]) ?? [];
        const uid = random.pick([...(found?.events.keys() ?? []), undefined]);
        if (uid === undefined || !found?.events.delete(uid)) return;
        await writer.remove(`${calendar}/${uid}.ics`);
      },
      () => (random.below(10) === 0 ? server.restart() : undefined),
      () => world.forget?.(),
      () => world.syncAndBreak(random.below(3)),
      check,
    ];
    async function put(): Promise<void> {
      const [calendar, found] = random.pick([...calendars, undefined]) ?? [];
      if (!found) return;
      // A uid belongs to one calendar: servers refuse a second one.
      const uid = `${calendar}-${random.below(12)}`;
      found.events.set(uid, `S${random.below(1000)}`);
      await writer.put(`${calendar}/${uid}.ics`, makeEvent(uid, found.events.get(uid) ?? ""));
    }
    async function check(): Promise<void> {
      await world.sync();
      const expected = [...calendars.values()].flatMap(({ title, events }) =>
        [...events].map(([uid, summary]) => `${uid} ${summary} in ${title}`),
      );
      assert.deepEqual(await listEvents(world), expected.sort());
    }
    for (let step = 0; step < STEPS; step += 1) await random.pick(steps)();
    await check();
    t.diagnostic(server.name);
  });

async function open<World extends { close(): Promise<void> }>(
  t: TestContext,
  created: Promise<World>,
): Promise<World> {
  const world = await created;
  t.after(() => world.close());
  return world;
}

async function listEvents({ read }: Pick<DavWorld, "read">): Promise<string[]> {
  const events = await read("events");
  return events.map(({ uid, summary, calendar }) => `${uid} ${summary} in ${calendar}`).sort();
}

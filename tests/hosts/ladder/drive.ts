/** Drives one host up the ladder and reports what its model saw. */
import assert from "node:assert/strict";
import type { Host } from "../hosts.ts";
import { type ScriptedModel, startScriptedModel } from "../model/scripted-model.ts";
import { type Agent, climb, RUNGS, type Rung } from "./climb.ts";
import type { Connection, Mailbox, Transport } from "./mailbox.ts";
import { samples } from "./samples.ts";
import { findHalves, type Halves } from "./seen.ts";
import { startHost } from "./start-host.ts";

/** The outcome of one run of a host. */
export interface Outcome {
  readonly host: Host;
  readonly transport: Transport;
  readonly halves: Halves;
  /** How many of Rungs' tools the model could call from the start. */
  readonly tools: number;
  readonly largest_bytes: number;
  readonly answers: number;
  readonly steps: readonly Step[];
}

/** A step on a sample, and why it failed. */
export interface Step {
  readonly sample: string;
  readonly rung: Rung;
  readonly problem?: string | undefined;
}

const isOurs = (tool: string | undefined) => /rungs/.test(tool ?? "");

/** Runs a host in a new home over a transport. */
export async function driveHost(
  host: Host,
  { bin, mailbox, transport }: { bin: string; mailbox: Mailbox; transport: Transport },
): Promise<Outcome> {
  const connection = mailbox.connect(transport);
  const setup = connection.setups.find(({ host: name }) => name === host.name);
  assert.ok(setup, `no configuration is printed for ${host.name}`);
  const model = await startScriptedModel(isOurs);
  const started = await startHost(host, { bin, setup, model_url: model.url });
  try {
    return await Promise.race([started.failed, climbAll({ host, transport, model, connection })]);
  } finally {
    model.end().catch(() => undefined);
    await started.stop();
    await model.close();
  }
}

interface Run {
  readonly host: Host;
  readonly transport: Transport;
  readonly model: ScriptedModel;
  readonly connection: Connection;
}

async function climbAll(run: Run): Promise<Outcome> {
  const { host, transport, model, connection } = run;
  const tools = (await model.listTools()).filter(isOurs).length;
  const halves = await measureHalves(run);
  const agent = createAgent(run, halves);
  const steps: Step[] = [];
  for (const sample of samples) {
    const left: Rung[] = [...RUNGS];
    try {
      for await (const rung of climb(agent, sample)) {
        left.shift();
        steps.push({ sample: sample.name, rung });
      }
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      const [failed, ...missed] = left.map((rung) => ({ sample: sample.name, rung }));
      if (failed) steps.push({ ...failed, problem });
      steps.push(...missed.map((step) => ({ ...step, problem: "not reached" })));
    }
  }
  const sizes = connection.results().map((result) => sizeOf(result, halves));
  return { host, transport, halves, tools, steps, answers: sizes.length, largest_bytes: Math.max(...sizes) };
}

/** Which halves the host shows, by a small answer. */
async function measureHalves(run: Run): Promise<Halves> {
  const seen = await callTool(run, "search", { query: "kestrel", limit: 1 });
  const halves = findHalves(seen, requireLast(run.connection));
  assert.ok(halves.text || halves.structured, `the model sees neither half: ${JSON.stringify(seen)}`);
  return halves;
}

/** A model that fails if a half that the host shows is incomplete. */
function createAgent(run: Run, halves: Halves): Agent {
  return {
    halves,
    async callTool({ name, arguments: args }) {
      const seen = await callTool(run, name, args);
      const result = requireLast(run.connection);
      const found = findHalves(seen, result);
      const isWhole = result.isError
        ? found.text
        : found.text >= halves.text && found.structured >= halves.structured;
      const got = JSON.stringify(seen) ?? "nothing";
      assert.ok(
        isWhole,
        `${name} of ${sizeOf(result, halves)} bytes is not whole for the model, which sees ${Buffer.byteLength(got)}: ${got.slice(0, 200)}`,
      );
      return result;
    },
  };
}

/** Calls a tool by the name that the host gives it, after looking it up in hosts that load tools when asked. */
async function callTool(
  { host, model }: Run,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const isNamed = new RegExp(`rungs(?:__|[_/-])${name}$`);
  const find = async () => (await model.listTools()).find((tool) => isNamed.test(tool));
  if (host.lookUp !== undefined && (await find()) === undefined) {
    const lookUp = host.lookUp(name);
    await model.call(lookUp.tool, lookUp.args);
  }
  const listed = await find();
  assert.ok(listed, `the model cannot call ${name}`);
  return model.call(listed, args);
}

function requireLast({ results }: Connection) {
  const last = results().at(-1);
  assert.ok(last, "Rungs was not asked");
  return last;
}

/** The bytes of the halves that a host shows. */
function sizeOf({ content, structuredContent }: ReturnType<typeof requireLast>, halves: Halves): number {
  const text = halves.text ? Buffer.byteLength(content[0]?.text ?? "") : 0;
  return text + (halves.structured ? Buffer.byteLength(JSON.stringify(structuredContent ?? "")) : 0);
}

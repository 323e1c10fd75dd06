/** The protocol's inspector as a second real client: every tool, the resources, over both transports and eras. */

import { MAIN } from "../../testing/cli/program.ts";
import { type ServedWorld, serveWorld } from "../../testing/mcp/served-world.ts";
import { capture } from "./run.ts";

const INSPECTOR = "@modelcontextprotocol/inspector@2.12.0";
const NOTE = "home/notes:long";

/** One call of the inspector, and what its output must contain. */
interface Inspection {
  readonly args: readonly string[];
  readonly shows: RegExp;
}

/** Runs the inspector; false if a call failed or lacked the expected output. */
export async function runInspector(): Promise<boolean> {
  const served = await serveWorld("sqlite");
  try {
    const inspections = listInspections(served);
    const failures: string[] = [];
    for (const target of listTargets(served)) {
      for (const era of ["legacy", "auto"]) {
        for (const { args, shows } of inspections) {
          const all = ["-y", INSPECTOR, "--cli", ...target, "--protocol-era", era, ...args];
          const { code, output } = await capture("npx", all, true);
          const isFine = code === 0 && shows.test(output);
          console.log(`${isFine ? "✓" : "✗"} ${target.at(-1)} ${era}: ${args.join(" ")}`);
          if (!isFine) failures.push(output.slice(0, 500));
        }
      }
    }
    for (const output of failures) console.error(output);
    return failures.length === 0;
  } finally {
    await served.close();
  }
}

function listTargets({ world, url }: ServedWorld): string[][] {
  const env = ["-e", `RUNGS_URL=${url}`, "-e", `RUNGS_TOKEN=${world.client}`];
  return [
    [
      "--transport",
      "http",
      "--header",
      `Authorization: Bearer ${world.client}`,
      "--server-url",
      `${url}/mcp`,
    ],
    [...env, process.execPath, "--conditions=rungs-source", MAIN, "mcp"],
  ];
}

/** Rungs offers only tools and resources, no prompts. */
function listInspections({ world }: ServedWorld): Inspection[] {
  const call = (name: string, args: readonly string[], shows: RegExp): Inspection => ({
    args: ["--method", "tools/call", "--tool-name", name, ...args.flatMap((arg) => ["--tool-arg", arg])],
    shows,
  });
  const { blob_id } = world.blob;
  return [
    { args: ["--method", "tools/list", "--strict"], shows: /"read_record_field"/ },
    call("schema", [], /notes/),
    call("search", ["query=tea"], /⟦tea⟧/),
    call("fetch", [`id=${NOTE}`], /content_ladder/),
    call("read_record_field", [`id=${NOTE}`, "field_path=body"], /next_cursor/),
    call("read_thread", [`id=${NOTE}`], /home\/notes:long/),
    call("query_records", ["stream=notes", "connection_id=home"], /home\/notes:/),
    call("aggregate", ["stream=notes", "connection_id=home", "metric=count"], /count/),
    call("read_blob", [`blob_id=${blob_id}`], /size_bytes/),
    call("export_link", [], /http|export/),
    { args: ["--method", "resources/list"], shows: /pdpp:\/\/stream\/home\/notes/ },
    { args: ["--method", "resources/templates/list"], shows: /pdpp:\/\/field-window\/\{handle\}/ },
    { args: ["--method", "resources/read", "--uri", `pdpp://record/${NOTE}`], shows: /home\/notes:long/ },
    { args: ["--method", "resources/read", "--uri", "ui://rungs/view.html"], shows: /<script/ },
  ];
}

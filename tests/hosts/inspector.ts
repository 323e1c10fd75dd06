/** The protocol's inspector as a second real client: it lists and calls the tools, over both transports and eras. */

import { MAIN } from "../../testing/cli/program.ts";
import { serveWorld } from "../../testing/mcp/served-world.ts";
import { run } from "./run.ts";

const INSPECTOR = "@modelcontextprotocol/inspector@2.12.0";

/** Runs the inspector; false when it could not list or call. */
export async function runInspector(): Promise<boolean> {
  const { world, url, close } = await serveWorld("sqlite");
  const targets = [
    [`${url}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${world.client}`],
    [
      "-e",
      `RUNGS_URL=${url}`,
      "-e",
      `RUNGS_TOKEN=${world.client}`,
      process.execPath,
      "--conditions=rungs-source",
      MAIN,
      "mcp",
    ],
  ];
  const calls = [
    ["--method", "tools/list"],
    ["--method", "tools/call", "--tool-name", "search", "--tool-arg", "query=tea"],
  ];
  try {
    let isFine = true;
    for (const target of targets) {
      for (const era of ["legacy", "auto"]) {
        for (const call of calls) {
          const code = await run("npx", [
            "-y",
            INSPECTOR,
            "--cli",
            ...target,
            "--protocol-era",
            era,
            ...call,
          ]);
          isFine &&= code === 0;
        }
      }
    }
    return isFine;
  } finally {
    await close();
  }
}

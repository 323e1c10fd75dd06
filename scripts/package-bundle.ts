import { join } from "node:path";
import { rolldown } from "rolldown";

const ROOT = join(import.meta.dirname, "..");

/** The files that start a process or a thread. Their code loads each other by these names. */
const ENTRIES = {
  main: "packages/cli/src/main.ts",
  "read-worker": "packages/store/src/workers/read-worker.ts",
  reader: "packages/importers/src/extract/reader.ts",
  "store-reader": "packages/importers/src/outlook/store-reader.ts",
};

/** Optional native code that `pg` probes for and does not need. */
const EXTERNAL = ["pg-native"];

/** Bundles the program and its dependencies into a folder; returns the files of other packages that are in it. */
export async function bundleProgram(dir: string): Promise<string[]> {
  const build = await rolldown({
    input: ENTRIES,
    cwd: ROOT,
    platform: "node",
    external: EXTERNAL,
    tsconfig: false,
    resolve: { conditionNames: ["rungs-source", "node", "default"] },
    checks: { eval: false },
    onLog: (level, { message }) => {
      if (level !== "debug") throw new Error(message);
    },
  });
  const { output } = await build.write({
    dir,
    format: "esm",
    cleanDir: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    // Names stay readable in stack traces.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  });
  await build.close();
  const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  return [...new Set(modules)].filter((file) => file.includes("node_modules")).sort();
}

/** Other programs that extract the text of documents, to compare with. Both are optional, and both make mistakes. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
const TIMEOUT_MS = 60_000;
const MAX_BYTES = 256 * 1024 ** 2;

/** A program and the documents that it reads. */
export interface Oracle {
  readonly program: string;
  /** Lower case, without a dot. */
  readonly extensions: readonly string[];
  /** How to install it where it is missing. */
  readonly install: string;
  readonly version: readonly string[];
  /** The arguments that write the text of a file to standard output. */
  read(path: string, extension: string): readonly string[];
}

const oracles: readonly Oracle[] = [
  {
    program: "pdftotext",
    extensions: ["pdf"],
    install: "it is part of poppler-utils",
    version: ["-v"],
    read: (path) => ["-enc", "UTF-8", path, "-"],
  },
  {
    program: "pandoc",
    extensions: ["docx", "html", "htm", "xhtml"],
    install: "see pandoc.org",
    version: ["--version"],
    read: (path, extension) => [
      ...["--from", extension === "docx" ? "docx" : "html", "--to", "plain"],
      // Wide enough that no cell of a table is wrapped, which would break long words.
      ...["--wrap", "none", "--columns", "2000", path],
    ],
  },
];

/** Reads the text of a file with another program; undefined if that program fails. */
export type ReadReference = (path: string, extension: string) => Promise<string | undefined>;

/** The programs that are installed as one reader by extension, and a sentence for each that is missing. */
export async function findOracles(): Promise<{
  readonly readers: ReadonlyMap<string, ReadReference>;
  readonly versions: readonly string[];
  readonly missing: readonly string[];
}> {
  const readers = new Map<string, ReadReference>();
  const versions: string[] = [];
  const missing: string[] = [];
  for (const { program, extensions, install, version, read } of oracles) {
    const found = await run(program, [...version]).catch(() => undefined);
    if (!found) {
      missing.push(`${program} is not installed (${install}): ${extensions.join(", ")} are not compared.`);
      continue;
    }
    versions.push(/.*\d.*/.exec(found.stdout || found.stderr)?.[0] ?? program);
    for (const extension of extensions) {
      readers.set(extension, (path) =>
        run(program, [...read(path, extension)], { timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES }).then(
          ({ stdout }) => stdout,
          () => undefined,
        ),
      );
    }
  }
  return { readers, versions, missing };
}

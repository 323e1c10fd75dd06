/** Other programs that extract the text of documents, for comparison. Both are optional, and both make mistakes. */
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
  /** The arguments that write the text of a file to standard output, for each reading mode of the program. */
  read(path: string, extension: string): Promise<readonly (readonly string[])[]>;
}

const oracles: readonly Oracle[] = [
  {
    program: "pdftotext",
    extensions: ["pdf"],
    install: "it is part of poppler-utils",
    version: ["-v"],
    // In reading order, and in file order: where the two split a text into different words, neither is evidence.
    read: async (path) => {
      const crop = await cropPages(path);
      return [[], ["-raw"]].map((order) => [...order, "-enc", "UTF-8", ...crop, path, "-"]);
    },
  },
  {
    program: "pandoc",
    extensions: ["docx", "html", "htm", "xhtml"],
    install: "see pandoc.org",
    version: ["--version"],
    read: async (path, extension) => [
      [
        ...["--from", extension === "docx" ? "docx" : "html", "--to", "plain"],
        // Wide enough that no cell of a table is wrapped, which would break long words.
        ...["--wrap", "none", "--columns", "2000", path],
      ],
    ],
  },
];

const BOX = /^Page +\d+ +(MediaBox|CropBox): +([-\d.]+) +([-\d.]+) +([-\d.]+) +([-\d.]+)/gm;

/**
 * By default, pdftotext also prints text outside the crop box, which no viewer shows (ISO 32000-1 §14.11.2). These
 * arguments restrict it to the crop box if all pages have the same one.
 */
async function cropPages(path: string): Promise<readonly string[]> {
  const pages = ["-box", "-f", "1", "-l", "100000", path];
  const { stdout } = await run("pdfinfo", pages, { maxBuffer: MAX_BYTES }).catch(() => ({ stdout: "" }));
  const boxes = [...stdout.matchAll(BOX)].map(([, name, ...numbers]) => ({
    name,
    edges: numbers.map(Number),
  }));
  const find = (wanted: string) =>
    new Set(boxes.filter(({ name }) => name === wanted).map(({ edges }) => edges.join(" ")));
  const [media, crop] = [[...find("MediaBox")], [...find("CropBox")]];
  if (media.length !== 1 || crop.length !== 1 || media[0] === crop[0] || /^Page.* rot: +[1-9]/m.test(stdout))
    return [];
  const [left = 0, , , top = 0] = media[0]!.split(" ").map(Number);
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = crop[0]!.split(" ").map(Number);
  const numbers = { x: x0 - left, y: top - y1, W: x1 - x0, H: y1 - y0 };
  return Object.entries(numbers).flatMap(([name, number]) => [`-${name}`, String(Math.round(number))]);
}

/** Reads the text of a file with another program, in each of its ways; none if that program fails. */
export type ReadReference = (path: string, extension: string) => Promise<readonly string[]>;

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
      readers.set(extension, async (path) => {
        const ways = (await read(path, extension)).map((args) =>
          run(program, [...args], { timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES }),
        );
        return Promise.all(ways).then(
          (outputs) => outputs.map(({ stdout }) => stdout),
          () => [],
        );
      });
    }
  }
  return { readers, versions, missing };
}

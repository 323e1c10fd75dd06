/** Reads the text in pictures with Tesseract, in a thread of the reading process. The engine has no code that downloads. */
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { cleanText } from "../../clean-text.ts";
import { Unreadable } from "../unreadable.ts";
import type { OcrSetup } from "./ocr-setup.ts";

/** The text of a picture, and the program's confidence in it, 0 to 100. */
export interface RecognisedText {
  readonly text: string;
  readonly confidence: number;
}

/** Reads the text of pictures. */
export interface Recogniser {
  /** The languages, as `eng+deu`. */
  readonly languages: string;
  /** Undefined if nothing can be read. Throws `Unreadable` if it takes too long. */
  recognise(picture: Uint8Array): Promise<RecognisedText | undefined>;
}

/** Below this confidence, a picture has no text: photographs contain strokes that resemble letters. */
const MIN_CONFIDENCE = 40;

/**
 * A thread, because Tesseract blocks while it reads and a thread can be terminated. It loads only the neural network
 * engine, with SIMD where available, and answers each picture with its text or with nothing.
 */
const THREAD = `const { parentPort, workerData: { program, languages } } = require("node:worker_threads");
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { gunzipSync } = require("node:zlib");
const LSTM_ONLY = 1;
async function start(name) {
  const tesseract = await require(join(program, name))({ print: () => undefined, printErr: () => undefined });
  for (const { code, file } of languages) {
    const bytes = readFileSync(file);
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    tesseract.FS.writeFile(code + ".traineddata", isPacked ? gunzipSync(bytes, { maxOutputLength: 2 ** 27 }) : bytes);
  }
  const api = new tesseract.TessBaseAPI();
  if (api.Init(null, languages.map(({ code }) => code).join("+"), LSTM_ONLY) !== 0) throw new Error("not started");
  return { tesseract, api };
}
function read({ tesseract, api }, picture) {
  try {
    tesseract.FS.writeFile("/input", picture);
    if (api.SetImageFile(1, 0) === 1) return undefined;
    api.Recognize(null);
    return { text: api.GetUTF8Text(), confidence: api.MeanTextConf() };
  } catch {
    return undefined;
  }
}
const started = start("tesseract-core-simd-lstm.js").catch(() => start("tesseract-core-lstm.js"));
started.then(() => parentPort.postMessage("ready"), () => process.exit(1));
parentPort.on("message", async (picture) => parentPort.postMessage(read(await started, picture)));`;

/** Creates a recogniser. Its thread starts with the first picture, and again after a picture that took too long. */
export function createRecogniser(setup: OcrSetup, page_ms: number): Recogniser {
  let thread: Worker | undefined;
  const end = async (): Promise<void> => {
    await thread?.terminate();
    thread = undefined;
  };
  return {
    languages: setup.languages.map(({ code }) => code).join("+"),
    async recognise(picture) {
      thread ??= await startThread(setup);
      thread.postMessage(picture);
      const answer = await awaitAnswer(thread, page_ms);
      if (answer.kind === "text") return answer.text && toText(answer.text);
      await end();
      if (answer.kind === "crashed") return undefined;
      throw new Unreadable(`Reading a picture took longer than ${page_ms} ms.`);
    },
  };
}

async function startThread(setup: OcrSetup): Promise<Worker> {
  const thread = new Worker(THREAD, { eval: true, workerData: setup });
  thread.unref();
  const answer = await awaitAnswer(thread, START_MS);
  if (answer.kind === "text") return thread;
  await thread.terminate();
  throw new Unreadable("The program for OCR does not start. Install tesseract.js-core 7 again.");
}

const START_MS = 60_000;

type Answer =
  | { readonly kind: "text"; readonly text: RecognisedText | undefined }
  | { readonly kind: "crashed" | "late" };

/** The next message of the thread. */
async function awaitAnswer(thread: Worker, time_ms: number): Promise<Answer> {
  const done = new AbortController();
  const { signal } = done;
  const crashed = () => ({ kind: "crashed" }) as const;
  try {
    return await Promise.race([
      once(thread, "message", { signal }).then(([text]) => ({ kind: "text", text }) as const, crashed),
      once(thread, "exit", { signal }).then(crashed, crashed),
      delay(time_ms, { kind: "late" } as const, { signal }),
    ]);
  } finally {
    done.abort();
  }
}

function toText({ text, confidence }: RecognisedText): RecognisedText | undefined {
  const clean = cleanText(text).trim();
  return clean === "" || confidence < MIN_CONFIDENCE ? undefined : { text: clean, confidence };
}

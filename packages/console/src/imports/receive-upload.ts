import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { ApiError } from "@rungs/contract";
import { limits } from "@rungs/server";
import type { OwnerRequest } from "../request/console-request.ts";
import { requireCsrfToken } from "../request/csrf-token.ts";
import { CSRF_FIELD } from "../ui/form.ts";
import type { Upload } from "./kept-uploads.ts";
import { bound, gather, readFormParts } from "./multipart.ts";
import { createUploadFolder } from "./upload-folder.ts";

/** Called when the first file begins to arrive; returns a function that takes the number of bytes that have arrived. */
type BeginFile = (name: string) => Promise<(received_bytes: number) => void>;

const FIELDS_MAX = 16;
const FIELD_MAX_BYTES = 4096;
const FILES_MAX = 20_000;
/** File systems allow 255 bytes, and a character can take three. */
const NAME_MAX_CHARS = 80;
const DEPTH_MAX = 16;
/** The folder of several files. Connections are named after what is imported, so that the same files are found again: never after a random name. */
export const TOGETHER = "upload";
/** The name of a file with an unusable name, such as `..`. */
const NAMELESS = "file";

/** Writes uploaded files to disk as they arrive; checks the CSRF token, which the form sends first, before the first byte. */
export async function receiveUpload(
  request: Pick<OwnerRequest, "raw" | "csrf_token">,
  beginFile: BeginFile = async () => () => undefined,
): Promise<Upload> {
  const fields = new Map<string, string>();
  const paths: string[] = [];
  let folder = "";
  let received_bytes = 0;
  let report: (received_bytes: number) => void = () => undefined;
  try {
    for await (const part of readFormParts(request.raw)) {
      if (part.filename === undefined) {
        if (fields.size >= FIELDS_MAX)
          throw refuse("The form has too many fields.", "Use the form of the console.");
        fields.set(part.name, await gather(part.content, FIELD_MAX_BYTES));
        continue;
      }
      requireCsrfToken(fields.get(CSRF_FIELD), request.csrf_token);
      const place = cleanPath(part.filename) || (part.filename === "" ? "" : NAMELESS);
      if (place === "") {
        // An empty file field of a form.
        await gather(part.content, FIELD_MAX_BYTES);
        continue;
      }
      if (paths.length >= FILES_MAX)
        throw refuse(`More than ${FILES_MAX} files were sent.`, "Pack them into an archive.");
      if (paths.length === 0) {
        folder = await createUploadFolder();
        report = await beginFile(place.split("/").at(-1) ?? place);
      }
      const path = chooseFree(join(folder, TOGETHER, place), paths);
      paths.push(path);
      const counted = countBytes(bound(part.content, limits.body_bytes - received_bytes), (bytes) => {
        received_bytes += bytes;
        report(received_bytes);
      });
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await pipeline(counted, createWriteStream(path, { mode: 0o600 }));
    }
    // Data sent before a cancellation may arrive complete.
    if (request.raw.signal.aborted) throw refuse("The upload was cancelled.", "Upload it again.");
    const [first] = paths;
    if (first === undefined) throw refuse("No file was sent.", "Choose a file.");
    const name = first.split("/").at(-1) ?? "";
    return {
      path: paths.length === 1 ? first : findRoot(join(folder, TOGETHER), paths),
      folder,
      name: paths.length === 1 ? name : `${name} and ${paths.length - 1} more`,
      label: fields.get("label")?.trim() || undefined,
      format: fields.get("format") || undefined,
      is_look: fields.get("look") === "yes",
    };
  } catch (error) {
    if (folder !== "") await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

function refuse(message: string, next: string): ApiError {
  return new ApiError("invalid_request", { param: "file", message, next });
}

/**
 * The place of a file below its folder. Keeps names, which importers use for detection, but drops characters that a
 * file system may refuse, and leading dots, so that nothing escapes the folder.
 */
function cleanPath(filename: string): string {
  return filename
    .split(/[/\\]/)
    .filter((segment) => segment !== "" && segment !== "." && segment !== "..")
    .slice(-DEPTH_MAX)
    .map((segment) =>
      segment
        .replace(/[^\p{L}\p{N}._ -]/gu, "_")
        .replace(/^\.+/, "_")
        .slice(-NAME_MAX_CHARS),
    )
    .join("/");
}

/** The folder of several files: the one that was dropped, if they all come from it. */
function findRoot(folder: string, paths: readonly string[]): string {
  const tops = new Set(paths.map((path) => path.slice(folder.length + 1).split("/")));
  const [top = []] = tops;
  const isOne = [...tops].every((segments) => segments.length > 1 && segments[0] === top[0]);
  return isOne ? join(folder, top[0] ?? "") : folder;
}

/** Two files may have the same cleaned name. */
function chooseFree(path: string, taken: readonly string[]): string {
  return taken.includes(path) ? join(dirname(path), `${taken.length}-${path.split("/").at(-1)}`) : path;
}

async function* countBytes(
  content: AsyncIterable<Buffer>,
  onReceived: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    onReceived(chunk.length);
    yield chunk;
  }
}

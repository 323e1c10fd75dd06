import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { ApiError } from "@rungs/contract";
import { limits } from "@rungs/server";
import type { OwnerRequest } from "../request/console-request.ts";
import { requireCsrfToken } from "../request/csrf-token.ts";
import { CSRF_FIELD } from "../ui/form.ts";
import { bound, type FormPart, gather, readFormParts } from "./multipart.ts";
import { createUploadFolder } from "./upload-folder.ts";

/** An uploaded file on disk, in its own folder that only this user can read, and the form's fields. */
export interface Upload {
  readonly path: string;
  readonly name: string;
  readonly label: string | undefined;
}

/** Called when the file begins to arrive; returns a function that takes the number of bytes that have arrived. */
type BeginFile = (name: string) => Promise<(received_bytes: number) => void>;

const FIELDS_MAX = 16;
const FIELD_MAX_BYTES = 4096;
/** File systems allow 255 bytes, and a character can take three. */
const NAME_MAX_CHARS = 80;

/** Writes an uploaded file to disk as it arrives; checks the CSRF token, which the form sends first, before the first byte. */
export async function receiveUpload(
  request: Pick<OwnerRequest, "raw" | "csrf_token">,
  beginFile: BeginFile = async () => () => undefined,
): Promise<Upload> {
  const fields = new Map<string, string>();
  for await (const part of readFormParts(request.raw)) {
    if (part.filename === undefined) {
      if (fields.size >= FIELDS_MAX)
        throw refuse("The form has too many fields.", "Use the form of the console.");
      fields.set(part.name, await gather(part.content, FIELD_MAX_BYTES));
      continue;
    }
    requireCsrfToken(fields.get(CSRF_FIELD), request.csrf_token);
    const name = part.filename.split(/[/\\]/).at(-1) ?? "";
    if (name !== "")
      return {
        path: await writeFile(part, name, await beginFile(name)),
        name,
        label: fields.get("label")?.trim() || undefined,
      };
  }
  throw refuse("No file was sent.", "Choose a file.");
}

function refuse(message: string, next: string): ApiError {
  return new ApiError("invalid_request", { param: "file", message, next });
}

/** Keeps the file's name, from which importers tell its format, without path separators and characters that a file system may refuse. */
async function writeFile(
  { content }: FormPart,
  name: string,
  onReceived: (received_bytes: number) => void,
): Promise<string> {
  const folder = await createUploadFolder();
  const path = join(
    folder,
    name
      .replace(/[^\p{L}\p{N}._ -]/gu, "_")
      .replace(/^\.+/, "_")
      .slice(-NAME_MAX_CHARS),
  );
  try {
    const counted = countBytes(bound(content, limits.body_bytes), onReceived);
    await pipeline(counted, createWriteStream(path, { mode: 0o600 }));
    return path;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function* countBytes(
  content: AsyncIterable<Buffer>,
  onReceived: (received_bytes: number) => void,
): AsyncGenerator<Buffer> {
  let received_bytes = 0;
  for await (const chunk of content) {
    received_bytes += chunk.length;
    onReceived(received_bytes);
    yield chunk;
  }
}

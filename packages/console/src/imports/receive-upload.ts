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

/** A file on disk, in a folder of its own that only this user reads, and what the form said about it. */
export interface Upload {
  readonly path: string;
  readonly name: string;
  readonly label: string | undefined;
}

const FIELD_MAX_BYTES = 4096;
/** Disks take 255 bytes, and a character may be three of them. */
const NAME_MAX_CHARS = 80;

/** Writes an uploaded file to disk as it arrives. Not a byte of it is taken before the form's token has been seen. */
export async function receiveUpload(request: OwnerRequest): Promise<Upload> {
  const fields = new Map<string, string>();
  for await (const part of readFormParts(request.raw)) {
    if (part.filename === undefined) {
      fields.set(part.name, await gather(part.content, FIELD_MAX_BYTES));
      continue;
    }
    requireCsrfToken(fields.get(CSRF_FIELD), request.csrf_token);
    const name = part.filename.split(/[/\\]/).at(-1) ?? "";
    if (name !== "")
      return { path: await writeFile(part, name), name, label: fields.get("label")?.trim() || undefined };
  }
  throw new ApiError("invalid_request", {
    param: "file",
    message: "No file was sent.",
    next: "Choose a file.",
  });
}

/** The name says what the file is, so it is kept, but for what could lead out of the folder or is not for every disk. */
async function writeFile({ content }: FormPart, name: string): Promise<string> {
  const folder = await createUploadFolder();
  const path = join(
    folder,
    name
      .replace(/[^\p{L}\p{N}._ -]/gu, "_")
      .replace(/^\.+/, "_")
      .slice(-NAME_MAX_CHARS),
  );
  try {
    await pipeline(bound(content, limits.body_bytes), createWriteStream(path, { mode: 0o600 }));
    return path;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

import type { FileEntry, Files } from "../files/files.ts";
import {
  asInteger,
  asList,
  asObject,
  asObjects,
  asText,
  type ExportedObject,
  isObject,
} from "../json/values.ts";

/** A file that a message refers to. */
export interface Asset {
  readonly asset_id: string;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly mime_type?: string | undefined;
  readonly size_bytes?: number | undefined;
  readonly prompt?: string | undefined;
}

/** The files of a message, each once: uploads in its metadata, and files that its parts point to. */
export function listAssets(message: ExportedObject): Asset[] {
  const content = asObject(message.content);
  const found = [
    ...asObjects(asObject(message.metadata).attachments).map(readUpload),
    ...[...asList(content.parts), content.screenshot].filter(isObject).flatMap(readPointers),
  ];
  const assets = new Map<string, Asset>();
  for (const asset of found) {
    if (asset === undefined) continue;
    const known = assets.get(asset.asset_id);
    assets.set(asset.asset_id, known ? merge(known, asset) : asset);
  }
  return [...assets.values()];
}

/** An upload has the better name, a pointer the better kind. */
function merge(upload: Asset, pointer: Asset): Asset {
  return {
    ...upload,
    kind: pointer.kind ?? upload.kind,
    size_bytes: upload.size_bytes ?? pointer.size_bytes,
    prompt: pointer.prompt,
  };
}

function readUpload({ id, name, size, mime_type, mimeType }: ExportedObject): Asset | undefined {
  const asset_id = asText(id);
  if (asset_id === undefined) return undefined;
  return {
    asset_id,
    kind: "upload",
    name: asText(name),
    mime_type: asText(mime_type) ?? asText(mimeType),
    size_bytes: asInteger(size),
  };
}

/** A part may point to a file; a part of a video call contains several pointers. */
function readPointers(part: ExportedObject): (Asset | undefined)[] {
  const inner = [
    part.audio_asset_pointer,
    part.video_container_asset_pointer,
    ...asList(part.frames_asset_pointers),
  ];
  return [part, ...inner.filter(isObject)].map(readPointer);
}

/** Pointers look like `file-service://file-AbC` and `sediment://file_00ab#page`. */
function readPointer(part: ExportedObject): Asset | undefined {
  const asset_id = /^[a-z-]+:\/\/([^#?]+)/.exec(asText(part.asset_pointer) ?? "")?.[1];
  if (asset_id === undefined) return undefined;
  return {
    asset_id,
    kind: asText(part.content_type)?.split("_")[0],
    size_bytes: asInteger(part.size_bytes),
    prompt: asText(asObject(asObject(part.metadata).dalle).prompt),
  };
}

/** Names in an export begin with the asset's id: `file-AbC-photo.png`, `dalle-generations/file-AbC-….webp`. */
const ASSET_NAME = /^file[-_][A-Za-z0-9]+/;

/** The export's files by asset id. */
export async function indexAssets(files: Files): Promise<ReadonlyMap<string, FileEntry>> {
  const index = new Map<string, FileEntry>();
  for await (const entry of files.list()) {
    const id = ASSET_NAME.exec(entry.path.slice(entry.path.lastIndexOf("/") + 1))?.[0];
    if (id !== undefined && !index.has(id)) index.set(id, entry);
  }
  return index;
}

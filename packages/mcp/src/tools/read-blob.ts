import { type BlobView, findMostDetail, renderBlob } from "@rungs/contract";
import { z } from "zod";
import { createRenderOptions, writeAnswer } from "../answer.ts";
import { fitsBoth } from "../limits.ts";
import { linkBlob } from "../links.ts";
import {
  describeFile,
  describeImage,
  IMAGE_MAX_BYTES,
  keepBytes,
  readRange,
  requireImage,
  showBytes,
  showText,
} from "../read-blob.ts";
import { looseOutput } from "../schemas.ts";
import { defineTool } from "../tool.ts";

const DEFAULT_BYTES = 4_096;
const LEAST_BYTES = 256;
const MAX_BYTES = { text: 16_384, base64: 6_144 } as const;

/** `read_blob`: a blob's type and size, and a bounded part of it on request (R33). */
export const readBlobTool = defineTool({
  name: "read_blob",
  title: "Read a file",
  description:
    "Says what a file or encoded value is: type, size and record. With as, also gives a bounded part: text, base64 bytes (in structuredContent only), or a small image. Text extracted from a file is a field of its record.",
  input: z.strictObject({
    blob_id: z.string().describe("As shown in a record's field."),
    as: z.enum(["text", "base64", "image"]).describe("By default, only its type and size.").optional(),
    offset_bytes: z.int().min(0).describe("Where to begin; 0 by default.").optional(),
    limit_bytes: z
      .int()
      .min(1)
      .max(MAX_BYTES.text)
      .describe(
        `${DEFAULT_BYTES} by default, or less where escapes make it long; base64 gives ${MAX_BYTES.base64} at most.`,
      )
      .optional(),
  }),
  output: looseOutput,
  async answer({ blob_id, as, offset_bytes = 0, limit_bytes }, { client, base_url }) {
    const show = (view: BlobView) => ({
      text: renderBlob(view, base_url, createRenderOptions()),
      structured: { ...view },
    });
    const respond = (view: BlobView) => writeAnswer(show(view));
    if (as === undefined || as === "image") {
      const file = await readRange(client, blob_id, 0, 1);
      if (as === undefined) {
        const { content, ...rest } = respond(describeFile(file));
        return { ...rest, content: [...content, linkBlob(file)] };
      }
      const { mime_type: mimeType } = requireImage(file);
      const { content, ...rest } = respond(describeImage(file));
      const { bytes } = await readRange(client, blob_id, 0, IMAGE_MAX_BYTES);
      return { ...rest, content: [...content, { type: "image", data: bytes.toString("base64"), mimeType }] };
    }
    const most = Math.min(limit_bytes ?? DEFAULT_BYTES, MAX_BYTES[as]);
    const range = await readRange(client, blob_id, offset_bytes, most);
    if (as === "base64") return respond(showBytes(range, limit_bytes));
    if (limit_bytes !== undefined) return respond(showText(range, limit_bytes));
    // Escapes make dense text up to six times longer: without a size, the part is as long as fits.
    const write = (bytes: number) => show(showText(keepBytes(range, bytes)));
    const fitting = findMostDetail({ least: LEAST_BYTES, most }, (bytes) => fitsBoth(write(bytes)));
    return writeAnswer(write(fitting ?? LEAST_BYTES));
  },
});

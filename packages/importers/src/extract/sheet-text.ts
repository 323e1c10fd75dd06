/** The text of a workbook that is attached to something: a line for each row. */
import { createMemoryFiles } from "../files/memory-files.ts";
import { listEntries } from "../files/probe.ts";
import { listSheets } from "../sheets/workbook.ts";
import type { Extraction } from "./extraction.ts";
import type { ExtractionLimits } from "./limits.ts";

/** Extracts the rows of all sheets, each under the name of its sheet. */
export async function extractSheets(bytes: Uint8Array, limits: ExtractionLimits): Promise<Extraction> {
  const [entry] = await listEntries(createMemoryFiles("workbook", { workbook: bytes }));
  const lines: string[] = [];
  let chars = 0;
  for (const sheet of entry ? await listSheets(entry) : []) {
    lines.push("", `Sheet ${sheet.name}${sheet.is_hidden ? " (hidden)" : ""}`);
    for await (const { cells } of sheet.rows()) {
      if (cells.every((cell) => cell === "")) continue;
      const line = cells.map((cell) => cell.replace(/\s*\n\s*/g, " ")).join(" | ");
      chars += line.length;
      if (chars > limits.text_chars)
        return { kind: "text", text: lines.join("\n").trim(), cut: "text_chars" };
      lines.push(line);
    }
  }
  return { kind: "text", text: lines.join("\n").trim() };
}

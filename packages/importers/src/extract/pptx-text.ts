import { cleanText } from "../clean-text.ts";
import { readCoreProperties } from "./core-properties.ts";
import type { Extraction } from "./extraction.ts";
import { joinPages } from "./join-pages.ts";
import type { ExtractionLimits } from "./limits.ts";
import { type Parts, readPartXml, readRelations } from "./package-parts.ts";
import { Unreadable } from "./unreadable.ts";
import { readZipMembers } from "./zip-members.ts";

const PRESENTATION = "ppt/presentation.xml";
const WANTED =
  /^(?:ppt\/presentation\.xml|ppt\/(?:slides|notesSlides)\/[^/]+\.xml|docProps\/core\.xml|.*\.rels)$/;

/** The text of a presentation: its slides in order, each with its title, text and notes; a page is a slide. */
export async function extractPptx(bytes: Uint8Array, limits: ExtractionLimits): Promise<Extraction> {
  const parts = await readZipMembers(bytes, (name) => WANTED.test(name), limits.unpacked_bytes);
  if (!parts.has(PRESENTATION)) throw new Unreadable("It has no presentation.");
  const relations = await readRelations(parts, PRESENTATION);
  const ids: string[] = [];
  await readPartXml(parts, PRESENTATION, {
    open(name, attributes) {
      const id = Object.entries(attributes).find(([key]) => key.endsWith(":id"))?.[1];
      if (name === "sldId" && id !== undefined) ids.push(id);
    },
  });
  const paths = ids.flatMap((id) => relations.get(id)?.path ?? []).slice(0, limits.pages);
  const slides: string[] = [];
  for (const [at, path] of paths.entries()) slides.push(await renderSlide(parts, path, at + 1));
  return {
    kind: "text",
    ...joinPages(slides),
    ...readCoreProperties(parts),
    ...(ids.length > limits.pages ? { cut: "pages" } : {}),
  };
}

/** A slide under a heading with its number; the heading says if the presentation hides it. */
async function renderSlide(parts: Parts, path: string, number: number): Promise<string> {
  const { title, blocks, is_hidden } = await readSlide(parts, path);
  const relations = await readRelations(parts, path);
  const notes = [...relations.values()].find(({ type }) => type === "notesSlide");
  const { blocks: noted } = notes ? await readSlide(parts, notes.path) : { blocks: [] };
  const head = [`Slide ${number}`, ...(title === "" ? [] : [title])].join(": ");
  const mark = is_hidden ? `${head} (hidden)` : head;
  const said = noted.length === 0 ? [] : [`Notes: ${noted.join("\n")}`];
  return cleanText([mark, ...blocks, ...said].join("\n\n"));
}

interface SlideText {
  readonly title: string;
  readonly blocks: readonly string[];
  readonly is_hidden: boolean;
}

/** Placeholders that repeat on every slide: numbers, dates, footers, and the picture of the slide in its notes. */
const REPEATED = new Set(["sldNum", "dt", "ftr", "hdr", "sldImg"]);

async function readSlide(parts: Parts, path: string): Promise<SlideText> {
  const blocks: string[] = [];
  let [title, kind, shape, cell, text] = ["", "", [] as string[], undefined as string[] | undefined, ""];
  let [row, is_text, is_hidden] = [[] as string[], false, false];
  const closing: Readonly<Record<string, () => void>> = {
    t: () => {
      is_text = false;
    },
    p: () => {
      (cell ?? shape).push(text);
      text = "";
    },
    tc: () => {
      row.push((cell ?? []).join(" ").trim());
      cell = undefined;
    },
    tr: () => {
      shape.push(row.join(" | "));
      row = [];
    },
    sp: () => endShape(),
    graphicFrame: () => endShape(),
  };
  const endShape = (): void => {
    const whole = shape.join("\n").trim();
    if (/^(?:title|ctrTitle)$/.test(kind) && title === "") title = whole.replace(/\s+/g, " ");
    else if (whole !== "" && !REPEATED.has(kind)) blocks.push(whole);
    [kind, shape] = ["", []];
  };
  await readPartXml(parts, path, {
    open(name, { type, show }) {
      if (name === "sld") is_hidden = show === "0" || show === "false";
      if (name === "ph") kind = type ?? "";
      if (name === "t") is_text = true;
      if (name === "br") text += "\n";
      if (name === "tc") cell = [];
    },
    text(piece) {
      if (is_text) text += piece;
    },
    close(name) {
      if (Object.hasOwn(closing, name)) closing[name]?.();
    },
  });
  return { title, blocks, is_hidden };
}

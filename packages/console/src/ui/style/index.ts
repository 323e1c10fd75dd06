/** The stylesheet, embedded in the program so that it needs no file at run time. */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { additions } from "./additions.ts";
import { base } from "./base.ts";
import { choice } from "./choice.ts";
import { content } from "./content.ts";
import { forms } from "./forms.ts";
import { layout } from "./layout.ts";
import { record } from "./record.ts";

/** The whole stylesheet. */
export const STYLE = base + layout + forms + content + record + choice + additions;

/**
 * The stylesheet, compressed once. Pages are not compressed: their compressed size would leak their content (BREACH).
 */
export const PACKED_STYLE = gzipSync(STYLE, { level: 9 });

/** The URL of the stylesheet; it changes with the content, so that browsers can cache it. */
export const STYLE_PATH = `/console/style.css?v=${createHash("sha256").update(STYLE).digest("hex").slice(0, 12)}`;

/** The favicon: a ladder. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#17614f"/><path d="M5 2.5v11M11 2.5v11M5 5h6M5 8h6M5 11h6" stroke="#fff" stroke-width="1.4" stroke-linecap="round"/></svg>`;

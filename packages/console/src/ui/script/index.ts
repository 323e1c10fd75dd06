/**
 * The script of the pages: a few conveniences on top of HTML that works without them. It is inline and its hash is in
 * the CSP of its page, so that no other script runs, whatever a record contains. It never builds markup from text: it moves elements
 * that the server rendered, and sets text.
 */
import { createHash } from "node:crypto";
import { copyScript } from "./copy.ts";
import { keysScript } from "./keys.ts";
import { liveScript } from "./live.ts";
import { paletteScript } from "./palette.ts";
import { passkeyScript } from "./passkey.ts";
import { previewScript } from "./preview.ts";
import { uploadScript } from "./upload.ts";

/** Indentation and comments are stripped, since they are inlined in pages. */
const join = (...parts: readonly string[]) =>
  `"use strict";(() => {${parts.join("").replace(/^\s+(?:\/\/.*\n)?/gm, "")}})();`;

const COMMON = [liveScript, copyScript, keysScript, paletteScript];
const SCRIPT = join(...COMMON);
/** The script of a page with a form that uploads, previews a choice or takes a passkey. */
const FORM_SCRIPT = join(...COMMON, previewScript, uploadScript, passkeyScript);
const FORM_PARTS = /\bdata-(?:upload|preview|passkey)\b/;

/** The script of a page with this body. */
export function chooseScript(body: string): string {
  return FORM_PARTS.test(body) ? FORM_SCRIPT : SCRIPT;
}

const nameSource = (script: string) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`;
const [SOURCE, FORM_SOURCE] = [nameSource(SCRIPT), nameSource(FORM_SCRIPT)];

/** How the CSP names the one script of a page; of a page without one, the common script. */
export function findScriptSource(page = ""): string {
  return page.includes(FORM_SCRIPT) ? FORM_SOURCE : SOURCE;
}

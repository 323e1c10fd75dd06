/**
 * The script of the pages: a few conveniences on top of HTML that works without them. It is inline and its hash is in
 * the CSP, so that no other script runs, whatever a record contains. It never builds markup from text: it moves elements
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

const PARTS = [liveScript, previewScript, copyScript, keysScript, uploadScript, paletteScript, passkeyScript];

/** The whole script. It is in every page, so it goes without indentation and comments. */
export const SCRIPT = `"use strict";(() => {${PARTS.join("").replace(/^\s+(?:\/\/.*\n)?/gm, "")}})();`;

/** How the CSP names the script. */
export const SCRIPT_SOURCE = `'sha256-${createHash("sha256").update(SCRIPT).digest("base64")}'`;

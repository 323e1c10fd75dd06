/**
 * The script of the pages: a few conveniences on top of HTML that works without them. It is inline and its hash is in
 * the CSP, so that no other script runs, whatever a record contains. It never builds markup from text: it moves elements
 * that the server rendered, and sets text.
 */
import { createHash } from "node:crypto";
import { copy } from "./copy.ts";
import { keys } from "./keys.ts";
import { live } from "./live.ts";
import { palette } from "./palette.ts";

/** The whole script. */
export const SCRIPT = `"use strict";(() => {${[live, copy, keys, palette].join("")}})();`;

/** How the CSP names the script. */
export const SCRIPT_SOURCE = `'sha256-${createHash("sha256").update(SCRIPT).digest("base64")}'`;

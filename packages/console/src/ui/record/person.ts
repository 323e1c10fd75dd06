import { type Html, html } from "../html.ts";

const COLOURS = 6;

/** A person's initials on a colour that belongs to the name. For the eye only: the name is beside it. */
export function renderInitials(name: string): Html {
  const words = name.replace(/[<(].*$/, "").match(/[\p{L}\p{N}]+/gu) ?? [];
  const initials = [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => (word === undefined ? "" : [...word][0]))
    .join("")
    .toUpperCase();
  let sum = 0;
  for (const char of name) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 9973;
  return html`<span class="initials tint${sum % COLOURS}" aria-hidden="true">${initials || "?"}</span>`;
}

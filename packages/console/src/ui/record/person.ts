import { type Html, html, when } from "../html.ts";

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

/** A mailbox such as `Ana Duarte <ana@example.org>`, as its name and its address; anything else is a name. */
export function splitPerson(text: string): { readonly name: string; readonly address?: string } {
  const [, name, address] = /^\s*"?([^"<>]*[^"<>\s])"?\s*<([^<>\s]+)>\s*$/.exec(text) ?? [];
  return name === undefined || address === undefined ? { name: text } : { name, address };
}

/** A person by name, with the address beside it. */
export function renderPerson(text: string): Html {
  const { name, address } = splitPerson(text);
  return html`<strong>${name}</strong>${when(address, (own) => html` <span class="small">${own}</span>`)}`;
}

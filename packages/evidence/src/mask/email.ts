import { type Detector, type FoundValue, findPattern } from "./found-value.ts";

const LOCAL_MAX = 64;
const DOMAIN_MAX = 253;
const LOCAL_END = /[\p{L}\p{N}\p{M}.!#$%&'*+/=?^_`{|}~-]{1,64}$/u;
const QUOTED_END = /"[^"\r\n@]{1,62}"$/;
const DOMAIN =
  /^(?:[\p{L}\p{N}\p{M}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])?\.){1,10}[\p{L}\p{M}][\p{L}\p{N}\p{M}-]{1,61}(?<!-)/u;
/** `jo (at) example.org`, `jo [at] example [dot] org`. */
const SPELLED =
  /(?<![\w.+-])[\w.+-]{1,64} ?[([{] ?at ?[)\]}] ?[\w-]{1,63}(?:(?:\.| ?[([{] ?dot ?[)\]}] ?)[\w-]{1,63}){1,6}/gi;

/** E-mail addresses, internationalized and spelled out ones too. Looks around each `@`, so that a long word costs nothing. */
export const findEmails: Detector = (text) => {
  const found: FoundValue[] = [];
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    const before = text.slice(Math.max(0, at - LOCAL_MAX), at);
    const local = (QUOTED_END.exec(before) ?? LOCAL_END.exec(before))?.[0].replace(/^[.'`*/=!|{]+/, "");
    const domain = DOMAIN.exec(text.slice(at + 1, at + 1 + DOMAIN_MAX))?.[0];
    if (!local || domain === undefined) continue;
    const start = at - local.length;
    const end = at + 1 + domain.length;
    found.push({ start, end, value: text.slice(start, end).toLowerCase() });
  }
  return [...found, ...findPattern(text, { pattern: SPELLED }, spellOut)];
};

function spellOut(address: string): string {
  return address
    .toLowerCase()
    .replace(/ ?[([{] ?at ?[)\]}] ?/, "@")
    .replace(/ ?[([{] ?dot ?[)\]}] ?/g, ".");
}

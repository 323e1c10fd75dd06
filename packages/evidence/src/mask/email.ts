import { type Detector, type FoundValue, findPattern } from "./found-value.ts";

/** RFC 5321 allows 64; bounce addresses, which embed another address, are longer. */
const LOCAL_MAX = 256;
const DOMAIN_MAX = 253;
// Anchored at the end, so that no other position is tried.
const LOCAL_END = /$(?<=([\p{L}\p{N}\p{M}.!#$%&'*+/=?^_`{|}~-]{1,256}))/u;
/** In a URL, whose parts these characters do not separate, or in quoted-printable. */
const CODED_END = /$(?<=([\p{L}\p{N}._%+-]{1,256}))/u;
const QUOTED_END = /"(?:[^"\\\r\n@]|\\.){1,62}"$/;
const COMMENT_END = /\([^()\r\n]{0,64}\)$/;
const DOMAIN =
  /^(?:[\p{L}\p{N}\p{M}](?:[\p{L}\p{N}\p{M}_-]{0,61}[\p{L}\p{N}\p{M}])?\.){1,10}[\p{L}\p{M}][\p{L}\p{N}\p{M}-]{1,61}(?<!-)/u;
const ADDRESS_LITERAL = /^\[[\d.a-f:IPv]{3,45}\]/i;
/** The at sign, plain or as encoded in URLs and quoted-printable. */
const AT = /@|%40|=40/g;
/** `jo at example dot org`, in capitals too. */
const IN_WORDS =
  /(?<![\w.+-])(?=[\d.+-]{0,64}[a-z_])[\w.+-]{1,64} at [\w-]{1,63}(?: dot [\w-]{1,63}){0,5} dot [a-z]{2,63}(?![\w-])/gi;
/** `jo (at) example.org`, `jo [at] example [dot] org`. */
const SPELLED =
  /(?<![\w.+-])[\w.+-]{1,64} ?[([{<] ?at ?[)\]}>] ?[\w-]{1,63}(?:(?:\.| ?[([{<] ?dot ?[)\]}>] ?)[\w-]{1,63}){1,6}/gi;
/** The user in a repository's address, `git@example.org:a/b`, is not a person. */
const IS_REPOSITORY = /^git@[^:]*:[\w~./-]/i;

/** E-mail addresses, internationalized and spelled out ones too. Looks around each `@`, so that a long word costs nothing. */
export const findEmails: Detector = (text) => {
  const found: FoundValue[] = [];
  for (const { 0: sign, index } of text.matchAll(AT)) {
    const near = text.slice(Math.max(0, index - 2 * LOCAL_MAX), index);
    const comment = COMMENT_END.exec(near)?.[0] ?? "";
    const before = near.slice(0, near.length - comment.length).slice(-LOCAL_MAX);
    const end_of_local = sign === "@" ? LOCAL_END : CODED_END;
    const local = (QUOTED_END.exec(before)?.[0] ?? end_of_local.exec(before)?.[1])?.replace(
      /^[.'`*/=!|{?&]+/,
      "",
    );
    const after = text.slice(index + sign.length, index + sign.length + DOMAIN_MAX);
    const domain = (DOMAIN.exec(after) ?? ADDRESS_LITERAL.exec(after))?.[0];
    if (!local || domain === undefined) continue;
    const start = index - comment.length - local.length;
    const end = index + sign.length + domain.length;
    if (IS_REPOSITORY.test(text.slice(start, end + 2))) continue;
    found.push({ start, end, value: `${local}@${domain}`.toLowerCase() });
  }
  for (const pattern of [SPELLED, IN_WORDS]) found.push(...findPattern(text, { pattern }, spellOut));
  return found;
};

function spellOut(address: string): string {
  return address
    .toLowerCase()
    .replace(/ ?[([{<] ?at ?[)\]}>] ?| at /, "@")
    .replace(/ ?[([{<] ?dot ?[)\]}>] ?| dot /g, ".");
}

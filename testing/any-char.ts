import fc from "fast-check";

const SURROGATES = 0x800;
const FIRST_SURROGATE = 0xd800;
const LAST_CHAR = 0x10_ffff;

/**
 * Any code point except surrogates. For its unit "binary", fast-check keeps a map of all 1,112,064 of them, which costs
 * a second and makes every garbage collection expensive.
 */
export const anyChar = fc.nat({ max: LAST_CHAR - SURROGATES }).map(
  (at) => String.fromCodePoint(at < FIRST_SURROGATE ? at : at + SURROGATES),
  (char) => {
    const code = typeof char === "string" ? (char.codePointAt(0) ?? 0) : 0;
    if (typeof char !== "string" || String.fromCodePoint(code) !== char || !char.isWellFormed())
      throw new Error("not a character");
    return code < FIRST_SURROGATE ? code : code - SURROGATES;
  },
);

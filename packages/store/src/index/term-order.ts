/** JavaScript sorts strings by UTF-16 units, the engines sort terms by bytes; they differ only past the surrogates. */

const ASTRAL = /[\ud800-\udfff]/;

export function hasAstral(term: string): boolean {
  return ASTRAL.test(term);
}

/** The order of the terms' UTF-8 bytes. */
export function compareCodePoints(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let unit = 0; unit < shared; unit += 1) {
    const difference = liftSurrogate(a.charCodeAt(unit)) - liftSurrogate(b.charCodeAt(unit));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function liftSurrogate(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

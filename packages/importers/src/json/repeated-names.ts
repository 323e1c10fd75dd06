const [QUOTE, BACKSLASH, COLON, OPEN, CLOSE] = [0x22, 0x5c, 0x3a, 0x7b, 0x7d];

/**
 * Whether an object in a valid JSON text, at any depth, has two members of one name, of which a parser keeps the last. Not a
 * regular expression: a long string would exhaust its stack.
 */
export function hasRepeatedNames(text: string): boolean {
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === OPEN) open.push(new Set());
    else if (code === CLOSE) open.pop();
    else if (code === QUOTE) {
      const end = findStringEnd(text, at);
      if (isName(text, end)) {
        const names = open.at(-1);
        const name = text.slice(at, end);
        if (names?.has(name)) return true;
        names?.add(name);
      }
      at = end - 1;
    }
  }
  return false;
}

/** The index after the closing quote. */
function findStringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at + 1;
  }
  return text.length;
}

function isName(text: string, end: number): boolean {
  let at = end;
  while (/\s/.test(text.charAt(at))) at += 1;
  return text.charCodeAt(at) === COLON;
}

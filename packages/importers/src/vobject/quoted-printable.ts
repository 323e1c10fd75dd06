/** Values as vCard 2.1 and vCalendar 1.0 write them: `NOTE;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:caf=C3=A9`. */
import { decodeText } from "../extract/decode-text.ts";

const QUOTED = /^[^:"]*;(?:ENCODING=)?QUOTED-PRINTABLE[;:]/i;

/** Whether a line, by its head, has a quoted-printable value; such a line goes on after an `=` at its end. */
export function isQuoted(head: string): boolean {
  return QUOTED.test(head);
}

/** The same line with its value plain, its line breaks written as `\n`, and no parameters about its encoding. */
export function decodeQuotedLine(line: Buffer): string {
  const latin = line.toString("latin1");
  const colon = latin.indexOf(":");
  const head = latin.slice(0, colon);
  const bytes = latin
    .slice(colon + 1)
    .replace(/=([0-9A-Fa-f]{2})/g, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const charset = /;CHARSET="?([\w-]{2,40})/i.exec(head)?.[1];
  const value = decodeText(Buffer.from(bytes, "latin1"), charset).replace(/\r\n?|\n/g, "\\n");
  return `${head.replace(/;(?:ENCODING=)?QUOTED-PRINTABLE/i, "").replace(/;CHARSET=[^;:]*/i, "")}:${value}`;
}

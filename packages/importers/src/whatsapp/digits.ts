/** The zeros of the digits that phones write: ASCII, Arabic, Persian, Indian, South-East Asian, full width. */
const ZEROS = [
  0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0x1040,
  0x17e0, 0xff10,
];

/** One digit of any of these scripts, for a regular expression. */
export const DIGIT = `[${ZEROS.map((zero) => `${String.fromCodePoint(zero)}-${String.fromCodePoint(zero + 9)}`).join("")}]`;

/** The same text with ASCII digits. */
export function toAsciiDigits(text: string): string {
  return text.replace(new RegExp(DIGIT, "g"), (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    return String(code - (ZEROS.findLast((zero) => zero <= code) ?? 0));
  });
}

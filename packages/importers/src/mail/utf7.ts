/** Base64 of UTF-16 between `+` and `-`, or up to the first character that is not base64 (RFC 2152). */
const SHIFTED = /\+([A-Za-z0-9+/]+)-?|\+-/g;

/** Decodes UTF-7, which `TextDecoder` does not support; leaves malformed text unchanged. */
export function decodeUtf7(text: string): string {
  return text.replace(SHIFTED, (run: string, base64?: string) => {
    if (base64 === undefined) return "+";
    const bytes = Buffer.from(base64, "base64");
    const whole = bytes.length >= 2 && isPadding(base64);
    return whole
      ? bytes
          .subarray(0, bytes.length & ~1)
          .swap16()
          .toString("utf16le")
      : run;
  });
}

/** Fewer than 6 bits remain after the last whole 16-bit unit. */
function isPadding(base64: string): boolean {
  return (base64.length * 6) % 16 < 6;
}

/** Character sets of RTF and Outlook: by the number of a code page, and by the charset of a font. */

const PAGES: Readonly<Record<number, string>> = {
  866: "ibm866",
  874: "windows-874",
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
  10000: "macintosh",
  20127: "us-ascii",
  20866: "koi8-r",
  21866: "koi8-u",
  50220: "iso-2022-jp",
  51932: "euc-jp",
  51949: "euc-kr",
  54936: "gb18030",
  65001: "utf-8",
};

const FONT_PAGES: Readonly<Record<number, number>> = {
  77: 10_000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
};

/** The encoding of a code page; undefined for one that is not known. */
export function findCodePage(number: number | undefined): string | undefined {
  if (number === undefined) return undefined;
  if (number >= 1250 && number <= 1258) return `windows-${number}`;
  return PAGES[number] ?? (number > 28_590 && number <= 28_606 ? `iso-8859-${number - 28_590}` : undefined);
}

/** The encoding of a font; undefined for the one of the whole document. */
export function findFontCharset(charset: number | undefined): string | undefined {
  return charset === undefined ? undefined : findCodePage(FONT_PAGES[charset]);
}

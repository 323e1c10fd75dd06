/** The headers and footers of a Word document, which mammoth does not read: each is handed to it as a document. */

type Parts = ReadonlyMap<string, Uint8Array>;

/** A header or footer as a document: the parts that mammoth needs. */
export interface Margin {
  readonly label: "Header" | "Footer";
  readonly parts: Parts;
}

const TYPES = "[Content_Types].xml";
/** Documents have up to three of each per section; more are the same again. */
const MAX_MARGINS = 60;

/** Lists the headers and footers of a document by their content types (ECMA-376 part 1, §11.3.6 and §11.3.9). */
export function listMargins(parts: Parts): Margin[] {
  const overrides = decode(parts.get(TYPES)).match(/<Override\b[^>]*>/g) ?? [];
  const named = (kind: string): string[] =>
    overrides
      .filter((override) => override.includes(`.${kind}+xml"`))
      .map((override) => /PartName="\/([^"]+)"/.exec(override)?.[1] ?? "")
      .filter((path) => parts.has(path));
  const [main] = named("document.main");
  if (main === undefined) return [];
  return (["Header", "Footer"] as const).flatMap((label) =>
    named(label.toLowerCase())
      .slice(0, MAX_MARGINS)
      .flatMap((path) => {
        const document = toDocument(decode(parts.get(path)));
        return document === undefined ? [] : [{ label, parts: replaceMain(parts, main, path, document) }];
      }),
  );
}

function decode(part: Uint8Array | undefined): string {
  return new TextDecoder().decode(part);
}

const ROOT = /<(\w+):(?:hdr|ftr)\b([^>]*[^>/])?>([\s\S]*)<\/\1:(?:hdr|ftr)>/;

function toDocument(xml: string): string | undefined {
  const [whole, prefix, attributes = "", content] = ROOT.exec(xml) ?? [];
  if (whole === undefined) return undefined;
  const body = `${prefix}:body`;
  return `<${prefix}:document${attributes}><${body}>${content}</${body}></${prefix}:document>`;
}

/** Without notes and comments, which belong to the body. */
function replaceMain(parts: Parts, main: string, path: string, document: string): Parts {
  const kept = [TYPES, "_rels/.rels"].map((name) => [name, parts.get(name)] as const);
  const links = [relationshipsOf(main), parts.get(relationshipsOf(path))] as const;
  const all = [...kept, links, [main, new TextEncoder().encode(document)] as const];
  return new Map(all.filter((entry): entry is [string, Uint8Array] => entry[1] !== undefined));
}

function relationshipsOf(path: string): string {
  return path.replace(/([^/]*)$/, "_rels/$1.rels");
}

/** Tar archives for tests, including malicious ones. */

/** One entry of an archive. */
export interface TarFixture {
  readonly path: string;
  readonly content?: string | Uint8Array;
  /** Its kind: a file unless given. */
  readonly type?: string;
  /** The size in the header, if it should be false. */
  readonly claimed_bytes?: number;
}

/** Writes a tar archive: a header and the content of each entry in blocks of 512 bytes, then two blocks of zeros. */
export function createTar(entries: readonly TarFixture[]): Buffer {
  const blocks = entries.flatMap(({ path, content = "", type = "0", claimed_bytes }) => {
    const bytes = Buffer.from(content as string);
    const padding = Buffer.alloc((512 - (bytes.length % 512)) % 512);
    const isLong = Buffer.byteLength(path) > 100;
    const long = isLong
      ? [createHeader("././@LongLink", "L", Buffer.byteLength(path) + 1), pad(`${path}\0`)]
      : [];
    return [
      ...long,
      createHeader(isLong ? path.slice(0, 50) : path, type, claimed_bytes ?? bytes.length),
      bytes,
      padding,
    ];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** An entry of pax records for the next one. */
export function createPax(records: Readonly<Record<string, string>>): TarFixture {
  const content = Object.entries(records).map(([name, value]) => {
    const rest = Buffer.byteLength(` ${name}=${value}\n`);
    const length = rest + String(rest + String(rest).length).length;
    return `${length} ${name}=${value}\n`;
  });
  return { path: "PaxHeaders/x", type: "x", content: content.join("") };
}

function pad(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

function createHeader(path: string, type: string, size: number): Buffer {
  const header = Buffer.alloc(512);
  header.write(path, 0, 100);
  header.write("0000644\0", 100);
  header.write(size.toString(8).padStart(11, "0"), 124);
  header.write((1_700_000_000).toString(8).padStart(11, "0"), 136);
  header.write("        ", 148);
  header.write(type, 156);
  header.write("ustar\0" + "00", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

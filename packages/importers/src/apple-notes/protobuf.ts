/** A field of a message in the encoding of Protocol Buffers. */
export interface ProtoField {
  readonly number: number;
  /** A number, or the bytes of a string or an embedded message. */
  readonly value: bigint | Uint8Array;
}

const VARINT_MAX_BYTES = 10;

/**
 * The fields of a message in order; stops at the first malformed one. https://protobuf.dev/programming-guides/encoding/
 */
export function* readFields(bytes: Uint8Array): Generator<ProtoField> {
  let at = 0;
  const readVarint = (): bigint | undefined => {
    let value = 0n;
    for (let count = 0; count < VARINT_MAX_BYTES && at < bytes.length; count += 1) {
      const byte = bytes[at]!;
      at += 1;
      value |= BigInt(byte & 0x7f) << BigInt(7 * count);
      if (byte < 0x80) return value;
    }
    return undefined;
  };
  while (at < bytes.length) {
    const tag = readVarint();
    if (tag === undefined) return;
    const [number, type] = [Number(tag >> 3n), Number(tag & 7n)];
    if (type === 0) {
      const value = readVarint();
      if (value === undefined) return;
      yield { number, value };
      continue;
    }
    const length = type === 2 ? readVarint() : type === 1 ? 8n : type === 5 ? 4n : undefined;
    if (length === undefined || length > BigInt(bytes.length - at)) return;
    yield { number, value: bytes.subarray(at, at + Number(length)) };
    at += Number(length);
  }
}

/** The embedded message of a field; the first if there are several. */
export function findMessage(bytes: Uint8Array, number: number): Uint8Array | undefined {
  for (const field of readFields(bytes)) {
    if (field.number === number && field.value instanceof Uint8Array) return field.value;
  }
  return undefined;
}

/** The text of a field. */
export function findProtoText(bytes: Uint8Array, number: number): string | undefined {
  const value = findMessage(bytes, number);
  return value === undefined ? undefined : new TextDecoder().decode(value);
}

/** The number of a field. */
export function findNumber(bytes: Uint8Array, number: number): number | undefined {
  for (const field of readFields(bytes)) {
    if (field.number === number && typeof field.value === "bigint") return Number(field.value);
  }
  return undefined;
}

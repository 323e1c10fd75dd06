import {
  createRecordCheck,
  describeStream,
  type Manifest,
  type ManifestStream,
  type StreamShape,
} from "@rungs/contract";

/** What is made of a manifest once. */
export class Declaration {
  readonly shapes: ReadonlyMap<string, StreamShape>;
  readonly #streams: ReadonlyMap<string, ManifestStream>;
  readonly #checks = new Map<string, ReturnType<typeof createRecordCheck>>();

  constructor(manifest: Manifest) {
    this.#streams = new Map(manifest.streams.map((stream) => [stream.name, stream]));
    this.shapes = new Map(manifest.streams.map((stream) => [stream.name, describeStream(stream)]));
  }

  getCheck(stream: string): ReturnType<typeof createRecordCheck> {
    let check = this.#checks.get(stream);
    if (!check) {
      check = createRecordCheck(this.#streams.get(stream) as ManifestStream);
      this.#checks.set(stream, check);
    }
    return check;
  }
}

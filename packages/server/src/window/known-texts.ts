const MAX_KNOWN = 10_000;

/** Caches which fields are text, by the keys of `formatTextKey`. */
export class KnownTexts {
  readonly #known = new Set<string>();

  has(key: string): boolean {
    return this.#known.has(key);
  }

  add(key: string): void {
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.add(key);
  }
}

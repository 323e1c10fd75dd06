/** The servers that an address names, as libpq spells them: `postgres://a:5432,b:5432/db`, or `?host=a,b&port=5432,5433`. */

/** The servers of one address. All connections go to one of them until it fails; then all fail over to the next. */
export class ServerList {
  readonly #urls: readonly string[];
  #at = 0;

  constructor(url: string) {
    this.#urls = listServers(url);
  }

  get count(): number {
    return this.#urls.length;
  }

  /** The address of the server to connect to. */
  get current(): string {
    return this.#urls[this.#at] as string;
  }

  /** Fails over, unless somebody else has done so since `url` was the current server. */
  leave(url: string): void {
    if (url === this.current) this.#at = (this.#at + 1) % this.count;
  }
}

/** One address for each server. */
function listServers(url: string): string[] {
  const [, scheme = "", user = "", hosts = "", rest = ""] =
    /^([a-z]+:\/\/)([^@/?#]*@)?([^/?#]*)(.*)$/is.exec(url) ?? [];
  if (hosts.includes(",")) return hosts.split(",").map((host) => `${scheme}${user}${host}${rest}`);
  if (!URL.canParse(url)) return [url];
  const { searchParams } = new URL(url);
  const named = searchParams.get("host")?.split(",") ?? [];
  const ports = searchParams.get("port")?.split(",") ?? [];
  if (named.length < 2) return [url];
  return named.map((host, at) => {
    const one = new URL(url);
    one.searchParams.set("host", host);
    const port = ports[at] ?? ports[0];
    if (port !== undefined) one.searchParams.set("port", port);
    return one.href;
  });
}

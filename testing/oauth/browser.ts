/** A minimal browser for redirect flows: it keeps cookies, and stops at every redirect. */
import assert from "node:assert/strict";

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

export class Browser {
  #cookies: Cookie[] = [];

  /** Opens an address with the cookies that belong there. */
  async open(url: string, init: RequestInit = {}): Promise<Response> {
    const { pathname } = new URL(url);
    const sent = this.#cookies
      .filter(({ path }) => path === "/" || pathname === path || pathname.startsWith(`${path}/`))
      .map(({ name, value }) => `${name}=${value}`);
    const headers = { ...(init.headers as Record<string, string>), Cookie: sent.join("; ") };
    const answer = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const line of answer.headers.getSetCookie()) this.#keep(line, pathname);
    return answer;
  }

  /** Opens an address that redirects, and returns the target. */
  async follow(url: string): Promise<URL> {
    const answer = await this.open(url);
    const body = await answer.text();
    const location = answer.headers.get("Location");
    assert.ok(location !== null, `${url} does not redirect: ${answer.status} ${body}`);
    return new URL(location, url);
  }

  #keep(line: string, pathname: string): void {
    const [pair = "", ...attributes] = line.split("; ");
    const [name = "", value = ""] = pair.split(/=(.*)/s);
    const path = attributes.find((each) => /^path=/i.test(each))?.slice(5) ?? pathname;
    this.#cookies = this.#cookies.filter((each) => each.name !== name || each.path !== path);
    if (value !== "") this.#cookies.push({ name, value, path });
  }
}

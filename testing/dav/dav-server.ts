/** A server for calendars and contacts, and a client with which tests write to it. */

/** A started server with one account. */
export interface DavTestServer {
  readonly name: string;
  readonly url: string;
  /** The path below `url` where the account's collections are. */
  readonly home: string;
  readonly user: string;
  readonly password: string;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Writes to a server, as a calendar program does. */
export class DavWriter {
  readonly #server: DavTestServer;

  constructor(server: DavTestServer) {
    this.#server = server;
  }

  addCalendar(name: string, title = name): Promise<void> {
    const body = `<C:mkcalendar xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><set><prop><displayname>${escapeXml(title)}</displayname></prop></set></C:mkcalendar>`;
    return this.#send("MKCALENDAR", `${name}/`, body);
  }

  addAddressBook(name: string): Promise<void> {
    const type = '<collection/><C:addressbook xmlns:C="urn:ietf:params:xml:ns:carddav"/>';
    const body = `<mkcol xmlns="DAV:"><set><prop><resourcetype>${type}</resourcetype><displayname>${escapeXml(name)}</displayname></prop></set></mkcol>`;
    return this.#send("MKCOL", `${name}/`, body);
  }

  rename(name: string, title: string): Promise<void> {
    const body = `<propertyupdate xmlns="DAV:"><set><prop><displayname>${escapeXml(title)}</displayname></prop></set></propertyupdate>`;
    return this.#send("PROPPATCH", `${name}/`, body);
  }

  put(path: string, content: string): Promise<void> {
    return this.#send("PUT", path, content);
  }

  remove(path: string): Promise<void> {
    return this.#send("DELETE", path);
  }

  async #send(method: string, path: string, body?: string): Promise<void> {
    const { url, home, user, password } = this.#server;
    const headers = {
      authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
      ...(body === undefined ? {} : { "content-type": contentType(path) }),
    };
    const answer = await fetch(`${url}${home}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  }
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function contentType(path: string): string {
  if (path.endsWith(".ics")) return "text/calendar; charset=utf-8";
  return path.endsWith(".vcf") ? "text/vcard; charset=utf-8" : "application/xml; charset=utf-8";
}

/** A calendar object with one event. */
export function makeEvent(uid: string, summary: string, more = ""): string {
  return [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//tests//EN",
    "BEGIN:VEVENT",
    `UID:${uid}`,
    "DTSTAMP:20260101T000000Z",
    "DTSTART:20260505T100000Z",
    "DTEND:20260505T110000Z",
    `SUMMARY:${summary}`,
    "END:VEVENT",
    ...(more === "" ? [] : [more]),
    "END:VCALENDAR",
    "",
  ].join("\r\n");
}

/** A card. */
export function makeCard(uid: string, name: string): string {
  return `BEGIN:VCARD\r\nVERSION:3.0\r\nUID:${uid}\r\nFN:${name}\r\nN:${name};;;;\r\nEND:VCARD\r\n`;
}

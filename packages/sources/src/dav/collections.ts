/** The calendars or address books of an account. */
import { type DAVResponse, propfind } from "tsdav";
import { notDav } from "./bounded-fetch.ts";
import { davLimits as limits } from "./limits.ts";
import { type DavSession, explainStatus } from "./session.ts";
import type { DavSettings } from "./settings.ts";

/** One calendar or address book. */
export interface DavCollection {
  /** Its path on the server, which survives a rename. */
  readonly collection: string;
  readonly url: string;
  readonly name: string;
  /** Changes with every change inside; undefined where the server has neither of the two kinds. */
  readonly version: string | undefined;
  /** Whether the server lists what changed since a token (RFC 6578). */
  readonly lists_changes: boolean;
}

const PROPS = {
  "d:displayname": {},
  "d:resourcetype": {},
  "d:sync-token": {},
  "d:supported-report-set": {},
  "cs:getctag": {},
};
const TYPES = { caldav: "calendar", carddav: "addressbook" } as const;

/** Lists the collections that the settings choose, in one request. */
export async function listCollections(session: DavSession, settings: DavSettings): Promise<DavCollection[]> {
  const { home_url: url, protocol } = session;
  const answers = await session.ask((common) => propfind({ url, props: PROPS, depth: "1", ...common }));
  requireList(answers);
  const found = answers
    .filter(({ props }) => Object.hasOwn(Object(props?.resourcetype), TYPES[protocol]))
    .map((answer) => readCollection(answer, url));
  if (found.length > limits.collections)
    throw notDav(`The account has more than ${limits.collections} calendars or address books.`);
  const { folders, without_folders = [] } = settings;
  return found.filter(
    ({ name }) => (folders === undefined || folders.includes(name)) && !without_folders.includes(name),
  );
}

function readCollection({ href, props = {} }: DAVResponse, base: string): DavCollection {
  const url = new URL(href ?? "", base).href;
  const collection = toObjectPath(url, base);
  const version = readElement(props.syncToken) ?? readElement(props.getctag);
  return {
    collection,
    url,
    name:
      readElement(props.displayname) ?? collection.split("/").findLast((part) => part !== "") ?? collection,
    version,
    lists_changes: JSON.stringify(props.supportedReportSet ?? "").includes("syncCollection"),
  };
}

/** Throws unless an answer is a list of responses. */
export function requireList(answers: readonly DAVResponse[]): void {
  const [first] = answers;
  const isList = Object.hasOwn(Object(first?.raw), "multistatus");
  if (!isList) throw explainStatus(first?.status) ?? notDav();
}

/** The path of an object, the same however the server writes it. */
export function toObjectPath(href: string, base: string): string {
  const { pathname } = new URL(href, base);
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** The text of an element: tsdav reads numbers as numbers, and leaves CDATA as it is. */
export function readElement(value: unknown): string | undefined {
  if (typeof value === "string" || typeof value === "number") return String(value);
  const { _cdata: inner } = Object(value) as { _cdata?: unknown };
  return typeof inner === "string" ? inner : undefined;
}

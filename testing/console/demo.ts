/** A server with the sample data, a reading agent and a client that asks for access, for the screenshots. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  acceptInvitation,
  createLoginLink,
  inviteOwner,
  type OwnerContext,
  previewChoice,
  savePreset,
} from "@rungs/server";
import { openSqlite } from "@rungs/store/sqlite";
import { prepareDemo } from "rungs/internal/demo";
import { listen } from "rungs/internal/listen";
import { type OpenedApp, openApp } from "rungs/internal/open-app";
import { createAgent } from "./agent.ts";

const REQUEST = {
  type: "https://pdpp.dev/data-access",
  source: { id: "urn:rungs:connector:demo-mail" },
  purpose_code: "https://pdpp.dev/purpose/assistance",
  purpose_description: "Answers questions about the roof from your mail.",
  access_mode: "continuous",
  streams: [
    {
      name: "messages",
      instance_ids: ["mail-home"],
      fields: ["subject", "from", "sent_at", "body"],
      time_range: { since: "2026-01-10T00:00:00Z" },
    },
  ],
  client_claims: { commitments: ["Never shares what it reads."] },
};

/** What the agent read: two searches, a record, and a field that it may not read. */
const READS = [
  "/v1/search?q=roof",
  "/v1/search?q=tea+house",
  "/v1/streams/messages/records/m-0241?connection_id=mail-home&view=preview",
  "/v1/streams/documents/records/lease?fields=private_note",
];

/** The pages in docs/screenshots, by name; a consent and a receipt have generated addresses. */
export const PAGES: Readonly<Record<string, string>> = {
  data: "/console",
  search: "/console/search?q=roof+tiles",
  records: "/console/streams/mail-home/messages",
  mail: "/console/records/mail-home%2Fmessages:m-0003",
  conversation: "/console/records/assistant%2Fmessages:c1-3",
  document: "/console/records/documents%2Fdocuments:accounts",
  grants: "/console/grants",
  "make-a-grant": `/console/grants/new?preset=${encodeURIComponent("The roof, a week")}`,
  hidden: "/console/hidden?kind=person&text=Kenji*",
  explain: "/console/explain?record=mail-home/messages:m-0003",
  activity: "/console/activity",
  receipt: "receipt",
  consent: "consent",
  connect: "/console/connect",
  import: "/console/import",
  sync: "/console/sync",
  settings: "/console/settings",
  "sign-in": "/console/sign-in",
};

/** Pages that exist only on a server with several owners. */
export const SHARED_PAGES = ["owners", "join", "not-an-administrator"] as const;

/** A page for a screenshot, and the link that signs its reader in, unless that is the owner. */
export interface SharedPage {
  readonly url: string;
  readonly loginLink?: () => Promise<string>;
}

export interface ServedDemo {
  readonly url: string;
  readonly parts: OwnerContext;
  loginLink(): Promise<string>;
  /** The address of an authorization request. */
  authorizationUrl(): string;
  /** Makes another owner and invites a third; the pages of one owner look different afterwards. */
  share(): Promise<Record<(typeof SHARED_PAGES)[number], SharedPage>>;
  close(): Promise<void>;
}

/** The roof conversation without phone numbers, for a week, as shown on the page that makes a grant. */
async function saveRoofPreset(owner: OwnerContext): Promise<void> {
  const preview = await previewChoice(
    owner,
    { client_id: "preset" },
    {
      streams: [
        {
          connection_id: "mail-home",
          stream: "messages",
          fields: ["id", "thread_id", "subject", "from", "to", "sent_at", "body"],
          where: [{ field: "thread_id", op: "equals", value: "roof" }],
        },
      ],
      masks: { kinds: ["phone"] },
    },
  );
  const { details = [], masks } = preview?.order ?? {};
  await savePreset(owner, { name: "The roof, a week", details, masks, lasts_ms: 7 * 24 * 60 * 60 * 1000 });
}

async function share(owner: OwnerContext, url: string): ReturnType<ServedDemo["share"]> {
  const ada = await inviteOwner(owner, { name: "ada", quota: { records: 50_000 }, base_url: url });
  const code = new URL(ada.url).searchParams.get("code") ?? "";
  await acceptInvitation(owner, { code, password: "a long walk by the sea", agent: "" });
  const bert = await inviteOwner(owner, { name: "bert", base_url: url });
  const loginLink = () => createLoginLink({ ...owner, owner_id: "ada" }, url);
  return {
    owners: { url: `${url}/console/owners` },
    join: { url: bert.url },
    "not-an-administrator": { url: `${url}/console/sync`, loginLink },
  };
}

/** Serves the sample data. */
export async function serveDemo(): Promise<ServedDemo> {
  const home = mkdtempSync(join(tmpdir(), "rungs-demo-"));
  const store = await openSqlite(join(home, "rungs.db"));
  const { token } = await prepareDemo(store, home);
  const opened = Promise.withResolvers<OpenedApp>();
  const answer = async (request: Request, env: object) => (await opened.promise).app.fetch(request, env);
  const { url, stop } = await listen(answer, { host: "127.0.0.1", port: 0, stop_ms: 100 });
  opened.resolve(await openApp(store, { url, home }));
  const { oauth } = await opened.promise;
  await saveRoofPreset(oauth);
  for (const path of READS) await fetch(url + path, { headers: { Authorization: `Bearer ${token}` } });
  const agent = await createAgent(url, "Bird Notes");
  return {
    url,
    parts: oauth,
    loginLink: () => createLoginLink(oauth, url),
    authorizationUrl: () => agent.authorizationUrl([REQUEST]),
    share: () => share(oauth, url),
    async close() {
      agent.stop();
      await stop();
      await store.close();
      rmSync(home, { recursive: true });
    },
  };
}

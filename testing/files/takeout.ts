/** A small Google Takeout with every kind of file that Rungs reads, for tests. */
import { makeCalendar, makeEvent } from "./calendar.ts";
import { makePdf } from "./pdf.ts";

/** Contents of files by their paths. */
export type Contents = Readonly<Record<string, string | Uint8Array>>;

/** A picture, by its first bytes. */
const PICTURE = Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1");

const note = {
  color: "DEFAULT",
  isTrashed: false,
  isPinned: true,
  isArchived: false,
  title: "Rope",
  userEditedTimestampUsec: 1704067200000000,
  createdTimestampUsec: 1704067100000000,
};

/** Names of folders and files, which Google localizes to the account's language. */
export const TAKEOUT_NAMES = {
  en: {
    keep: "Keep",
    activity: "My Activity/Search/MyActivity.json",
    gemini: "My Activity/Gemini Apps",
    page: "My Activity/Assistant/MyActivity.html",
    watched: "YouTube and YouTube Music/history/watch-history.json",
    tasks: "Tasks/Tasks.json",
    places: "Maps (your places)/Saved Places.json",
    photos: "Google Photos/Photos from 2024",
    mail: "Mail/All mail Including Spam and Trash.mbox",
    calendar: "Calendar/holidays.ics",
    contacts: "Contacts/All Contacts/All Contacts.vcf",
    comments: "YouTube and YouTube Music/comments/comments.csv",
    location: "Location History (Timeline)/Records.json",
    overview: "archive_browser.html",
  },
  de: {
    keep: "Notizen",
    activity: "Meine Aktivitäten/Google Suche/MeineAktivitäten.json",
    gemini: "Meine Aktivitäten/Gemini-Apps",
    page: "Meine Aktivitäten/Assistant/MeineAktivitäten.html",
    watched: "YouTube und YouTube Music/Verlauf/Wiedergabeverlauf.json",
    tasks: "Aufgaben/Aufgaben.json",
    places: "Maps (Meine Orte)/Gespeicherte Orte.json",
    photos: "Google Fotos/Fotos von 2024",
    mail: "Gmail/Alle E-Mails einschließlich Spam-Nachrichten und E.mbox",
    calendar: "Kalender/Feiertage.ics",
    contacts: "Kontakte/Alle Kontakte/Alle Kontakte.vcf",
    comments: "YouTube und YouTube Music/Kommentare/Kommentare.csv",
    location: "Standortverlauf/Records.json",
    overview: "archive_browser.html",
  },
} as const;

const activity = (header: string, title: string, more: object = {}) => ({
  header,
  title,
  time: "2024-02-02T07:24:02.806Z",
  products: [header],
  ...more,
});

const page = (cells: string) =>
  `<html><head><title>My Activity History</title><style>.content-cell.mdl-cell { color: black; }</style></head><body><div class="mdl-grid">${cells}</div></body></html>`;

/** One activity of the HTML form. */
export const activityCell = (product: string, lines: readonly string[]) =>
  `<div class="outer-cell mdl-cell mdl-cell--12-col mdl-shadow--2dp"><div class="mdl-grid"><div class="header-cell mdl-cell mdl-cell--12-col"><p class="mdl-typography--title">${product}<br></p></div><div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1">${lines.join("<br>")}</div><div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1 mdl-typography--text-right"></div><div class="content-cell mdl-cell mdl-cell--12-col mdl-typography--caption"><b>Products:</b><br>&emsp;${product}<br><b>Locations:</b><br>&emsp;At home<br></div></div></div>`;

/** The files of a Takeout, below its folder `Takeout/`. */
export function makeTakeout(
  language: keyof typeof TAKEOUT_NAMES = "en",
): Record<string, string | Uint8Array> {
  const names = TAKEOUT_NAMES[language];
  const list = {
    ...note,
    title: "Shopping",
    createdTimestampUsec: 1704067100000001,
    listContent: [
      { text: "oil", isChecked: true },
      { text: "rope", isChecked: false },
    ],
  };
  const inside: Contents = {
    [`${names.keep}/Rope.json`]: JSON.stringify({
      ...note,
      textContent: "Ten metres of the blue rope",
      labels: [{ name: "Boat" }],
      attachments: [{ filePath: "a1.jpeg", mimetype: "image/jpeg" }],
      annotations: [{ url: "https://rope.example/", title: "Rope", source: "WEBLINK", description: "" }],
      sharees: [{ email: "ben@example.org", isOwner: false }],
    }),
    [`${names.keep}/Rope.html`]: "<html><head><title>Rope</title></head><body>Ten metres</body></html>",
    [`${names.keep}/Shopping.json`]: JSON.stringify(list),
    [`${names.keep}/a1.jpg`]: PICTURE,
    [`${names.keep}/Labels.txt`]: "Boat\n",
    "Google Chat/Groups/DM 1aB/group_info.json": JSON.stringify({
      members: [
        { name: "Ann", email: "ann@example.org", user_type: "Human" },
        { name: "Ben", email: "ben@example.org", user_type: "Human" },
      ],
    }),
    "Google Chat/Groups/DM 1aB/messages.json": JSON.stringify({
      messages: [
        {
          creator: { name: "Ann", email: "ann@example.org", user_type: "Human" },
          created_date: "Thursday, November 3, 2016 at 11:59:50 PM UTC",
          text: "Is the paint dry?",
          topic_id: "t1",
          message_id: "1aB/t1/m1",
        },
        {
          creator: { name: "Ben", email: "ben@example.org", user_type: "Human" },
          created_date: "Donnerstag, 3. November 2016 um 23:59:51 UTC",
          attached_files: [{ original_name: "4?account_id=3.png", export_name: "File-4?account_id=3.png" }],
          topic_id: "t2",
          message_id: "1aB/t2/m2",
        },
      ],
    }),
    "Google Chat/Groups/DM 1aB/File-4_account_id=3.png": PICTURE,
    "Google Chat/Users/User 9/user_info.json": JSON.stringify({
      user: { name: "Ann" },
      membership_info: [{ group_id: "DM 1aB", membership_state: "MEMBER_JOINED" }],
    }),
    [names.activity]: JSON.stringify([
      activity("Search", "Searched for hawser", { titleUrl: "https://www.google.com/search?q=hawser" }),
    ]),
    [`${names.gemini}/MyActivity.json`]: JSON.stringify([
      activity("Gemini Apps", "Prompted How thick is a hawser?", {
        safeHtmlItem: [{ html: "<p>At least <strong>120 mm</strong> round.</p>" }],
        imageFile: "knot-1e98.png",
        subtitles: [{ name: "Attached 1 file." }],
      }),
    ]),
    [`${names.gemini}/knot-1e98.png`]: PICTURE,
    [names.page]: page(
      [
        activityCell("Assistant", [
          "Said&nbsp;<a href='https://x.example/'>set a timer</a>",
          "22.01.2024, 10:04:11 MEZ",
        ]),
        activityCell("Gemini Apps", [
          "Prompted What is a bollard?",
          "Jan 22, 2024, 10:04:12 PM UTC",
          "<p>A post on a quay.</p>",
        ]),
      ].join("\n"),
    ),
    [names.watched]: JSON.stringify([
      activity("YouTube", "Watched Splicing", {
        titleUrl: "https://www.youtube.com/watch?v=1",
        subtitles: [{ name: "Knots Weekly", url: "https://www.youtube.com/channel/1" }],
      }),
    ]),
    [names.tasks]: JSON.stringify({
      kind: "tasks#taskLists",
      items: [
        {
          kind: "tasks#tasks",
          id: "L1",
          title: "Boat",
          items: [
            {
              kind: "tasks#task",
              id: "T1",
              title: "Oil the winch",
              notes: "thin",
              status: "needsAction",
              updated: "2024-01-02T00:00:00Z",
              due: "2024-02-01T00:00:00Z",
            },
          ],
        },
      ],
    }),
    [names.places]: JSON.stringify({
      type: "FeatureCollection",
      features: [
        {
          type: "Feature",
          geometry: { type: "Point", coordinates: [10.5, 54.3] },
          properties: {
            date: "2024-01-05T10:00:00Z",
            google_maps_url: "http://maps.google.com/?cid=1",
            location: { name: "Harbour", address: "Quay 1", country_code: "DE" },
          },
        },
      ],
    }),
    [`${names.photos}/IMG_1.png.supplemental-metadata.json`]: JSON.stringify({
      title: "IMG_1.png",
      description: "The mast",
      imageViews: "3",
      creationTime: { timestamp: "1704067300", formatted: "x" },
      photoTakenTime: { timestamp: "1704067200", formatted: "x" },
      geoData: { latitude: 54.3, longitude: 10.5, altitude: 0 },
      people: [{ name: "Ben" }],
      url: "https://photos.google.com/photo/1",
    }),
    [`${names.photos}/IMG_1.png`]: PICTURE,
    [names.mail]: [1, 2]
      .map(
        (at) =>
          `From ${at}@xxx Thu Jan  1 00:00:00 +0000 2026\nX-GM-THRID: ${at}\nX-Gmail-Labels: Inbox\nMessage-ID: <${at}@x>\nFrom: Ann <ann@x>\nTo: Ben <ben@x>\nSubject: Ships\nDate: Thu, 1 Jan 2026 00:00:00 +0000\n\nbody ${at}\n\n`,
      )
      .join(""),
    [names.calendar]: makeCalendar("X-WR-CALNAME:Holidays", makeEvent("UID:1", "SUMMARY:Day")),
    [names.contacts]: "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ben\r\nEND:VCARD\r\n",
    [names.comments]: "Comment ID,Channel ID,Comment text\nc1,ch1,Nice\nc2,ch1,Very nice\n",
    [names.location]: JSON.stringify({
      locations: [
        { latitudeE7: 543000000, longitudeE7: 105000000, accuracy: 20, timestamp: "2024-01-01T00:00:00Z" },
        { latitudeE7: 543000001, longitudeE7: 105000001, accuracy: 21, timestamp: "2024-01-01T00:01:00Z" },
      ],
    }),
    "Drive/paper.pdf": makePdf([["words"]]),
    [names.overview]: "<!doctype html><html><head><title>Archive</title></head><body>Overview</body></html>",
  };
  return Object.fromEntries(Object.entries(inside).map(([path, content]) => [`Takeout/${path}`, content]));
}

/** Small exports of Notion, as they are downloaded. */

/** A page's id, from a number. */
export const pageId = (at: number): string => at.toString(16).padStart(32, "0");

const HOME = `Home 茶 ${pageId(1)}`;
const TASKS = `Tasks ${pageId(2)}`;

/** The export as Markdown and CSV: a page with a picture and links, a page inside it, a database with two pages and a row without one. */
export function makeNotionExport(): Record<string, string> {
  const link = (path: string) => path.split("/").map(encodeURIComponent).join("/");
  return {
    [`${HOME}.md`]: `# Home 茶\n\nSee the [plan](${link(`${HOME}/The plan ${pageId(3)}.md`)}) and [tasks](${link(`${HOME}/${TASKS}.csv`)}).\n\n![boat](${link(`${HOME}/boat.png`)})\n\n[shop](https://ropes.example/)\n`,
    [`${HOME}/boat.png`]: "\u0089PNG",
    [`${HOME}/The plan ${pageId(3)}.md`]:
      "# The plan, which has a very long title that is cut in names\n\nTar: first, then rope.\n",
    [`${HOME}/${TASKS}.csv`]: "\ufeffName,Status\nBuy rope,Open\n",
    [`${HOME}/${TASKS}_all.csv`]:
      '\ufeffName,Status,Created time,Created by\nBuy rope,Open,"January 5, 2024 10:20 PM",Ann\nPaint,Done,"January 6, 2024 9:00 AM",Ben\nSail,"Some, day",,\n',
    [`${HOME}/${TASKS}/Buy rope ${pageId(4)}.md`]:
      "# Buy rope\n\nStatus: Open\nCreated time: January 5, 2024 10:20 PM\nCreated by: Ann\n\nNote: twelve metres.\n",
    [`${HOME}/${TASKS}/Paint ${pageId(5)}.md`]: "# Paint\n\nStatus: Done\nCreated by: Ben\n",
  };
}

/** A page and a row of the HTML export. */
export function makeNotionPages(): Record<string, string> {
  const page = (id: string, title: string, properties: string, body: string) =>
    `<html><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"/><title>${title}</title><style>/* cspell:disable-file */</style></head><body><article id="${id}" class="page sans"><header><h1 class="page-title" dir="auto">${title}</h1>${properties}</header><div class="page-body">${body}</div></article></body></html>`;
  const properties =
    '<table class="properties"><tbody><tr class="property-row property-row-status"><th><span class="icon"></span>Status</th><td><span class="status">Open</span></td></tr><tr class="property-row property-row-last_edited_time"><th>Last edited time</th><td><time>@January 7, 2024 8:00 AM</time></td></tr></tbody></table>';
  return {
    "index.html": "<html><body>Overview</body></html>",
    [`Private/Home ${pageId(1)}.html`]: page(
      pageId(1),
      "Home &amp; away",
      "",
      `<p>Words</p><a href="Home/Plan%20${pageId(3)}.html">Plan</a><img src="Home/boat.png"/>`,
    ),
    "Private/Home/boat.png": "\u0089PNG",
    [`Private/Home/Plan ${pageId(3)}.html`]: page(pageId(3), "Plan", properties, "<ul><li>Tar</li></ul>"),
    [`Shared/Crew ${pageId(6)}.html`]: page(pageId(6), "Crew", "", "<p>Ann</p>"),
  };
}

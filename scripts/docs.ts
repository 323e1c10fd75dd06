/** `npm run docs`: writes the generated pages of docs/, the transcript and the picture of the README, and the screenshots. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { generatedPages } from "./docs-pages.ts";
import { takeScreenshots } from "./docs-screenshots.ts";
import { renderTerminal } from "./docs-terminal.ts";
import { replaceTranscript, writeTranscript } from "./docs-transcript.ts";

mkdirSync(new URL("../docs/agents/", import.meta.url), { recursive: true });
for (const [name, text] of Object.entries(await generatedPages())) {
  writeFileSync(new URL(`../docs/${name}`, import.meta.url), text);
}
const readme = new URL("../README.md", import.meta.url);
const transcript = await writeTranscript();
writeFileSync(readme, replaceTranscript(readFileSync(readme, "utf8"), transcript));
writeFileSync(new URL("../docs/ladder.svg", import.meta.url), renderTerminal(transcript));
await takeScreenshots();

/** `npm run docs`: writes the pages of docs/ that are made from the contract. */
import { writeFileSync } from "node:fs";
import { generatedPages } from "./pages.ts";

for (const [name, text] of Object.entries(generatedPages())) {
  writeFileSync(new URL(`../docs/${name}`, import.meta.url), text);
}

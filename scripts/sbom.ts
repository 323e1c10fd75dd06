/**
 * `npm run sbom`: a bill of materials (CycloneDX 1.6) of what runs with the program, in dist/sbom.cdx.json; with `--all`
 * also of what builds and tests it. Made from the lock file alone, so that it is the same wherever it is made.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { createSbom } from "./supply-chain-sbom.ts";

const file = new URL("../dist/sbom.cdx.json", import.meta.url);
const sbom = createSbom({ with_tools: process.argv.includes("--all") });
mkdirSync(new URL(".", file), { recursive: true });
writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
console.log(`dist/sbom.cdx.json: ${sbom.components.length} packages`);

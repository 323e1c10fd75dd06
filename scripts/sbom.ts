/**
 * `npm run sbom`: writes a bill of materials (CycloneDX 1.6) of the runtime packages to dist/sbom.cdx.json; with `--all`
 * also of the packages that build and test the program. It depends on the lock file only, so it is reproducible.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { createSbom } from "./supply-chain-sbom.ts";

const file = new URL("../dist/sbom.cdx.json", import.meta.url);
const sbom = createSbom({ with_tools: process.argv.includes("--all") });
mkdirSync(new URL(".", file), { recursive: true });
writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
console.log(`dist/sbom.cdx.json: ${sbom.components.length} packages`);

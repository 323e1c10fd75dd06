import { readFileSync } from "node:fs";
import { type LockedPackage, readLock } from "./supply-chain-lock.ts";

/** A bill of materials: https://cyclonedx.org/docs/1.6/json/ */
export interface Sbom {
  readonly bomFormat: "CycloneDX";
  readonly specVersion: "1.6";
  readonly version: 1;
  readonly metadata: { readonly component: Pick<Component, "type" | "name" | "version" | "bom-ref"> };
  readonly components: readonly Component[];
}

interface Component {
  readonly type: "application" | "library";
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly scope: "required" | "optional";
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly License[];
}

type License = { readonly expression: string } | { readonly license: { readonly name: string } };

/** What a bill of materials lists. */
interface SbomOptions {
  /** Adds the packages that build and test the program. */
  readonly with_tools: boolean;
  /** Lists only these, as `name@version`. */
  readonly only?: ReadonlySet<string> | undefined;
}

/** The bill of materials of the program. */
export function createSbom({ with_tools, only }: SbomOptions): Sbom {
  const { name, version } = JSON.parse(
    readFileSync(new URL("../packages/cli/package.json", import.meta.url), "utf8"),
  ) as { name: string; version: string };
  const packages = readLock().filter(
    ({ dev, name, version }) => (with_tools || !dev) && (only?.has(`${name}@${version}`) ?? true),
  );
  // The same version may be installed in two places; it is one component.
  const components = new Map(packages.map((each) => [purlOf(each), createComponent(each)]));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", name, version, "bom-ref": `${name}@${version}` } },
    components: [...components.values()],
  };
}

function createComponent(each: LockedPackage): Component {
  const { name, version, integrity, license, dev, for_some_machines } = each;
  const purl = purlOf(each);
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    purl,
    scope: dev || for_some_machines ? "optional" : "required",
    ...(integrity === undefined ? {} : { hashes: integrity.split(" ").map(readHash) }),
    ...(license === undefined ? {} : { licenses: [createLicense(license)] }),
  };
}

/** As an SPDX id where it is one: some packages use names that SPDX does not know. */
function createLicense(text: string): License {
  return text.includes(" ") ? { expression: text } : { license: { name: text } };
}

/** https://github.com/package-url/purl-spec: the `@` of a scope is encoded. */
function purlOf({ name, version }: LockedPackage): string {
  return `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;
}

/** The lock file has base64 (W3C Subresource Integrity), the bill of materials hexadecimal. */
function readHash(integrity: string): { alg: string; content: string } {
  const [, bits = "", digest = ""] = /^sha(\d+)-(.+)$/.exec(integrity) ?? [];
  return { alg: `SHA-${bits}`, content: Buffer.from(digest, "base64").toString("hex") };
}

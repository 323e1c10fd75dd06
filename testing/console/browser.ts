/** A real browser, with its security features on. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type Browser, chromium as playwright } from "playwright-core";

const PACKAGE = join(import.meta.dirname, "../../node_modules/@sparticuz/chromium");
const CACHE = join(import.meta.dirname, "../../node_modules/.cache");

/** Starts Chromium; the npm package contains the binary, its libraries and a font. */
export async function openBrowser(): Promise<Browser> {
  const folder = await unpackChromium();
  return playwright.launch({
    executablePath: join(folder, "chromium"),
    args: ["--no-sandbox", "--headless=shell", "--disable-gpu"],
    headless: true,
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(folder, "al2023/lib"),
      FONTCONFIG_FILE: join(folder, "fonts.conf"),
    },
  });
}

/**
 * The folder of the unpacked package, once per checkout. A process unpacks into a separate folder and renames it, so
 * that no other process starts half a browser.
 */
async function unpackChromium(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(PACKAGE, "package.json"), "utf8"));
  const folder = join(CACHE, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  const partial = await mkdtemp(`${folder}-`);
  // In a child process, since the package changes the environment. It unpacks the libraries only on platforms that it
  // detects.
  await promisify(execFile)(
    process.execPath,
    [
      "--eval",
      `import(${JSON.stringify(PACKAGE)} + "/build/index.js").then((it) => it.default.executablePath())`,
    ],
    { env: { ...process.env, TMPDIR: partial, AWS_LAMBDA_JS_RUNTIME: "nodejs20.x" } },
  );
  // The configuration in the package names /tmp/fonts; without a font, Chromium crashes with a segmentation fault.
  const fonts = `<dir>${join(folder, "fonts")}</dir><cachedir>${join(folder, "fonts-cache")}</cachedir>`;
  await writeFile(join(partial, "fonts.conf"), `<fontconfig>${fonts}</fontconfig>\n`);
  await rename(partial, folder).catch((error) => {
    if (!existsSync(folder)) throw error;
    return rm(partial, { recursive: true });
  });
  return folder;
}

/** A real browser, as people have one: with its own security left on. */
import { type Browser, chromium as playwright } from "playwright-core";

/** Starts Chromium; the npm package carries the program. */
export async function openBrowser(): Promise<Browser> {
  // The package unpacks the libraries that Chromium needs only where it believes to be on this platform.
  process.env.AWS_LAMBDA_JS_RUNTIME ??= "nodejs20.x";
  const { default: chromium } = await import("@sparticuz/chromium");
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ["--no-sandbox", "--headless=shell", "--disable-gpu"],
    headless: true,
  });
}

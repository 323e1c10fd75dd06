/** A real browser, with its security features on. */
import { type Browser, chromium as playwright } from "playwright-core";

/** Starts Chromium; the npm package contains the binary. */
export async function openBrowser(): Promise<Browser> {
  // The package unpacks the libraries that Chromium needs only if it detects this platform.
  process.env.AWS_LAMBDA_JS_RUNTIME ??= "nodejs20.x";
  const { default: chromium } = await import("@sparticuz/chromium");
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ["--no-sandbox", "--headless=shell", "--disable-gpu"],
    headless: true,
  });
}

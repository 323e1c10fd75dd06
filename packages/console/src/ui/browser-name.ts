/** Names a browser by its `User-Agent`, in words that its owner recognises. */

/** The first that matches: browsers name those that they descend from too. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bHeadlessChrome\//, "Chrome without a window"],
  [/\bChrome\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/\bcurl\//, "curl"],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "Mac"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];
const SHOWN_CHARS = 60;

/** `Firefox on Linux`; the beginning of the text if it names no known browser. */
export function nameBrowser(agent: string): string {
  const find = (table: typeof BROWSERS) => table.find(([pattern]) => pattern.test(agent))?.[1];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  if (browser === undefined) return agent === "" ? "A browser without a name" : agent.slice(0, SHOWN_CHARS);
  return system === undefined ? browser : `${browser} on ${system}`;
}

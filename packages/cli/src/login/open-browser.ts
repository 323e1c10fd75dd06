import { spawn } from "node:child_process";
import { platform } from "node:os";

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens an address in the person's browser, where there is one; the address was printed too. */
export function openBrowser(url: string): void {
  const [command, ...args] = OPENERS[platform()] ?? ["xdg-open"];
  const program = spawn(command, [...args, url], { detached: true, stdio: "ignore" });
  program.on("error", () => undefined);
  program.unref();
}

import { homedir, platform } from "node:os";
import { posix, win32 } from "node:path";

/** What determines where a person's files are. */
export interface System {
  readonly platform: NodeJS.Platform;
  /** The person's home folder. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The system that this program runs on. */
export function readSystem(env: System["env"]): System {
  return { platform: platform(), home: homedir(), env };
}

/** Where programs keep a person's data. */
export function findDataFolder({ platform, home, env }: System): string {
  if (platform === "win32") return env.LOCALAPPDATA || win32.join(home, "AppData", "Local");
  if (platform === "darwin") return posix.join(home, "Library", "Application Support");
  return findXdgFolder(env.XDG_DATA_HOME) ?? posix.join(home, ".local", "share");
}

/** Where programs keep a person's settings. */
export function findSettingsFolder({ platform, home, env }: System): string {
  if (platform === "win32") return env.APPDATA || win32.join(home, "AppData", "Roaming");
  if (platform === "darwin") return posix.join(home, "Library", "Application Support");
  return findXdgFolder(env.XDG_CONFIG_HOME) ?? posix.join(home, ".config");
}

/** The program that opens an address in the default browser, with the arguments before the address. */
export function findOpener({ platform }: Pick<System, "platform">): readonly [string, ...string[]] {
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return [platform === "darwin" ? "open" : "xdg-open"];
}

/** The path functions of a system. */
export function pathsOf({ platform }: Pick<System, "platform">): typeof posix {
  return platform === "win32" ? win32 : posix;
}

/** An empty or relative path counts as absent (XDG Base Directory Specification). */
function findXdgFolder(named: string | undefined): string | undefined {
  return named !== undefined && posix.isAbsolute(named) ? named : undefined;
}

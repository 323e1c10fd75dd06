import { homedir, platform } from "node:os";
import { join } from "node:path";
import { UsageError } from "../command/exit.ts";
import { renderLaunchAgent, renderSystemdUnit, type ServiceProgram } from "./render-unit.ts";

const LABEL = "rungs.server";

/** The service manager of a platform: where its file goes, and the programs that start and stop the service. */
export interface ServiceManager {
  readonly file: string;
  render(program: ServiceProgram): string;
  readonly start: readonly (readonly string[])[];
  readonly stop: readonly (readonly string[])[];
}

/** Finds the service manager of this machine. */
export function requireServiceManager(env: Readonly<Record<string, string | undefined>>): ServiceManager {
  switch (platform()) {
    case "linux": {
      const settings = env.XDG_CONFIG_HOME ?? join(homedir(), ".config");
      return {
        file: join(settings, "systemd", "user", "rungs.service"),
        render: renderSystemdUnit,
        start: [
          ["systemctl", "--user", "daemon-reload"],
          ["systemctl", "--user", "enable", "--now", "rungs.service"],
        ],
        stop: [["systemctl", "--user", "disable", "--now", "rungs.service"]],
      };
    }
    case "darwin": {
      const file = join(homedir(), "Library", "LaunchAgents", `${LABEL}.plist`);
      return {
        file,
        render: (program) => renderLaunchAgent(program, LABEL),
        start: [["launchctl", "load", "-w", file]],
        stop: [["launchctl", "unload", "-w", file]],
      };
    }
    default:
      throw new UsageError(
        "rungs service knows systemd and launchd. Elsewhere let the system's scheduler run rungs serve at sign-in.",
      );
  }
}

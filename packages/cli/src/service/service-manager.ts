import { join } from "node:path";
import { UsageError } from "../command/exit.ts";
import { findSettingsFolder, type System } from "../home/system.ts";
import { renderLaunchAgent, renderSystemdUnit, type ServiceProgram } from "./render-unit.ts";

const LABEL = "rungs.server";

/** The service manager of a platform: where its file goes, and the programs that start and stop the service. */
export interface ServiceManager {
  readonly file: string;
  render(program: ServiceProgram): string;
  readonly start: readonly (readonly string[])[];
  readonly stop: readonly (readonly string[])[];
}

/** Finds the service manager of a system. */
export function requireServiceManager(system: System): ServiceManager {
  switch (system.platform) {
    case "linux":
      return {
        file: join(findSettingsFolder(system), "systemd", "user", "rungs.service"),
        render: renderSystemdUnit,
        start: [
          ["systemctl", "--user", "daemon-reload"],
          ["systemctl", "--user", "enable", "--now", "rungs.service"],
        ],
        stop: [["systemctl", "--user", "disable", "--now", "rungs.service"]],
      };
    case "darwin": {
      const file = join(system.home, "Library", "LaunchAgents", `${LABEL}.plist`);
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

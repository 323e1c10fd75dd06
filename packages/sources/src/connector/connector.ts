/** Connectors of the protocol: programs that the owner installed, and that read a source for Rungs (Collection Profile). */
import { basename } from "node:path";
import { convertConnectorManifest } from "@rungs/contract";
import type { LiveSource } from "../live-source.ts";
import { chooseStreams, readConnectorManifest, requireRunnable } from "./installed.ts";
import { connectorLimits } from "./limits.ts";
import { readConnector } from "./read-connector.ts";
import { requireConnectorSettings } from "./settings.ts";

/** Runs a connector as a child process and stores what it sends. */
export const connector: LiveSource = {
  kind: "connector",
  label: "Connector (PDPP)",
  hasSecret: (settings) => (requireConnectorSettings(settings).secret_variables?.length ?? 0) > 0,
  declare: (settings) => convertConnectorManifest(readConnectorManifest(requireConnectorSettings(settings))),
  requireSettings: requireConnectorSettings,
  describe(settings) {
    const { manifest } = requireConnectorSettings(settings);
    // Rungs cannot know, or bound, what a program connects to.
    return { account: basename(manifest, ".json"), hosts: ["any host that the connector chooses"] };
  },
  async check({ settings: given }) {
    const settings = requireConnectorSettings(given);
    const manifest = readConnectorManifest(settings);
    requireRunnable(manifest, settings);
    chooseStreams(manifest, settings);
  },
  read: (task) => readConnector(task, connectorLimits),
};

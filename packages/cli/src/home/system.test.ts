import assert from "node:assert/strict";
import { test } from "node:test";
import { findHostFile } from "../hosts/install-host.ts";
import { requireServiceManager } from "../service/service-manager.ts";
import { findDataFolder, findOpener, findSettingsFolder, type System } from "./system.ts";

const linux: System = { platform: "linux", home: "/home/ö", env: {} };
const mac: System = { platform: "darwin", home: "/Users/Ada Byron", env: {} };
const windows: System = { platform: "win32", home: "C:\\Users\\Ada Byron", env: {} };

test("data and settings are where each system keeps them, whatever system runs this test", () => {
  const places = [linux, mac, windows].map((system) => [findDataFolder(system), findSettingsFolder(system)]);
  assert.deepEqual(places, [
    ["/home/ö/.local/share", "/home/ö/.config"],
    Array(2).fill("/Users/Ada Byron/Library/Application Support"),
    ["C:\\Users\\Ada Byron\\AppData\\Local", "C:\\Users\\Ada Byron\\AppData\\Roaming"],
  ]);
});

test("the environment moves them, except by an empty or relative path", () => {
  const xdg = (folder: string) => ({ ...linux, env: { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder } });
  assert.deepEqual([findDataFolder(xdg("/d")), findSettingsFolder(xdg("/d"))], ["/d", "/d"]);
  for (const folder of ["", "d", "./d"])
    assert.deepEqual(
      [findDataFolder(xdg(folder)), findSettingsFolder(xdg(folder))],
      ["/home/ö/.local/share", "/home/ö/.config"],
    );
  const moved = { ...windows, env: { LOCALAPPDATA: "D:\\L", APPDATA: "D:\\R" } };
  assert.deepEqual([findDataFolder(moved), findSettingsFolder(moved)], ["D:\\L", "D:\\R"]);
  assert.match(findDataFolder({ ...windows, env: { LOCALAPPDATA: "" } }), /^C:\\Users/);
  assert.match(findDataFolder({ ...mac, env: { XDG_DATA_HOME: "/d" } }), /^\/Users/);
});

test("hosts keep their files in the folders of the system", () => {
  const desktop = (system: System) => findHostFile("claude-desktop", system);
  assert.equal(desktop(linux), "/home/ö/.config/Claude/claude_desktop_config.json");
  assert.equal(
    desktop(mac),
    "/Users/Ada Byron/Library/Application Support/Claude/claude_desktop_config.json",
  );
  assert.equal(
    desktop(windows),
    "C:\\Users\\Ada Byron\\AppData\\Roaming\\Claude\\claude_desktop_config.json",
  );
  assert.equal(findHostFile("codex", windows), "C:\\Users\\Ada Byron\\.codex\\config.toml");
  const moved = { ...windows, env: { CODEX_HOME: "D:\\codex" } };
  assert.equal(findHostFile("codex", moved), "D:\\codex\\config.toml");
  assert.equal(findHostFile("chatgpt", linux), undefined);
});

test("the service manager and the browser are those of the system", () => {
  const settings = { ...linux, env: { XDG_CONFIG_HOME: "/c" } };
  assert.equal(requireServiceManager(settings).file, "/c/systemd/user/rungs.service");
  const agent = requireServiceManager(mac);
  assert.equal(agent.file, "/Users/Ada Byron/Library/LaunchAgents/rungs.server.plist");
  assert.deepEqual(agent.start, [["launchctl", "load", "-w", agent.file]]);
  assert.throws(() => requireServiceManager(windows), /let the system's scheduler run rungs serve/);
  assert.deepEqual([linux, mac, windows].map(findOpener), [
    ["xdg-open"],
    ["open"],
    ["rundll32", "url.dll,FileProtocolHandler"],
  ]);
});

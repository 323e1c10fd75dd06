/** The files by which systemd and launchd start the server when its owner signs in. */

/** The program that a service runs. */
export interface ServiceProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** Unlike arguments, not visible in the process list. */
  readonly env: Readonly<Record<string, string>>;
}

/** Renders a systemd user unit (systemd.service(5)). */
export function renderSystemdUnit({ command, args, env }: ServiceProgram): string {
  return [
    "[Unit]",
    "Description=Rungs, a personal data server",
    "",
    "[Service]",
    `ExecStart=${[command, ...args].map(quoteForSystemd).join(" ")}`,
    ...Object.entries(env).map(([name, value]) => `Environment=${quoteForSystemd(`${name}=${value}`)}`),
    "Restart=on-failure",
    "NoNewPrivileges=yes",
    "UMask=0077",
    "",
    "[Install]",
    "WantedBy=default.target",
    "",
  ].join("\n");
}

/** Renders a launchd agent (launchd.plist(5)). */
export function renderLaunchAgent({ command, args, env }: ServiceProgram, label: string): string {
  const strings = (values: readonly string[]) =>
    values.map((value) => `    <string>${escapeXml(value)}</string>`);
  const members = Object.entries(env).flatMap(([name, value]) => [
    `    <key>${escapeXml(name)}</key>`,
    `    <string>${escapeXml(value)}</string>`,
  ]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    "<dict>",
    "  <key>Label</key>",
    `  <string>${escapeXml(label)}</string>`,
    "  <key>ProgramArguments</key>",
    "  <array>",
    ...strings([command, ...args]),
    "  </array>",
    ...(members.length === 0
      ? []
      : ["  <key>EnvironmentVariables</key>", "  <dict>", ...members, "  </dict>"]),
    "  <key>RunAtLoad</key>",
    "  <true/>",
    "  <key>KeepAlive</key>",
    "  <dict>",
    "    <key>SuccessfulExit</key>",
    "    <false/>",
    "  </dict>",
    "  <key>Umask</key>",
    "  <integer>63</integer>",
    "</dict>",
    "</plist>",
    "",
  ].join("\n");
}

/** `%` begins a specifier and `$` a variable; a quoted word may hold spaces. */
function quoteForSystemd(word: string): string {
  const escaped = word.replaceAll("%", "%%").replaceAll("$", "$$$$");
  if (/^[\w@+=:,./%$-]+$/.test(escaped)) return escaped;
  return `"${escaped.replace(/[\\"]/g, "\\$&")}"`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

import type { Names } from "./names.ts";

/**
 * Renders Slack's markup: mentions by name, links with their address, and the three escaped characters.
 * https://docs.slack.dev/messaging/formatting-message-text
 */
export function renderMrkdwn(text: string, names: Names): string {
  const shown = text.replaceAll(/<([^<>\n]+)>/g, (_, inner: string) => renderReference(inner, names));
  // The ampersand comes last: &amp;lt; stands for the text &lt;.
  return shown.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

function renderReference(inner: string, { users, channels }: Names): string {
  const bar = inner.indexOf("|");
  const target = bar < 0 ? inner : inner.slice(0, bar);
  const label = bar < 0 ? "" : inner.slice(bar + 1);
  const id = target.slice(1);
  if (target.startsWith("@")) return `@${users.get(id) ?? (label || id)}`;
  if (target.startsWith("#")) return `#${channels.get(id) ?? (label || id)}`;
  if (target.startsWith("!")) return renderSpecial(id, label);
  return renderLink(target, label);
}

/** `here`, `subteam^S1`, `date^1392734382^{date}`. */
function renderSpecial(name: string, label: string): string {
  if (label !== "") return label;
  const [kind = "", id = ""] = name.split("^");
  return `@${id || kind}`;
}

function renderLink(address: string, label: string): string {
  const plain = address.replace(/^(?:mailto|tel):/, "");
  if (label === "" || label === address || label === plain) return plain;
  return `${label} (${plain})`;
}

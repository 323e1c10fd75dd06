/**
 * Loaded before a program (`node --import`): writes every host that it connects to, every name that it looks up and every
 * datagram that it sends into the file that `RUNGS_TEST_OUTBOUND` names. Everything in Node that opens a connection,
 * `fetch` included, goes through these prototypes.
 */
import dgram from "node:dgram";
import dns from "node:dns";
import { appendFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";

const file = process.env.RUNGS_TEST_OUTBOUND ?? "";
const note = (line: string) => appendFileSync(file, `${line}\n`);

/** Calls `look` before a method, with its arguments. */
function watch(owner: object, name: string, look: (...args: unknown[]) => unknown): void {
  const target = owner as Record<string, (...args: unknown[]) => unknown>;
  const method = target[name];
  if (!method) throw new Error(`Node has no ${name} any more.`);
  target[name] = function (this: unknown, ...args: unknown[]) {
    look(...args);
    return method.apply(this, args);
  };
}

note("started");
watch(net.Socket.prototype, "connect", (...args) => {
  const [options] = args.flat() as [{ host?: string; port?: number; path?: string } | string | number];
  if (typeof options !== "object") note(`connect ${args.flat().slice(0, 2).join(" ")}`);
  else if (options.path === undefined) note(`connect ${options.host ?? "localhost"}:${options.port}`);
});
watch(dgram.Socket.prototype, "send", (...args) => note(`datagram ${args.filter(isPlain).join(" ")}`));
for (const names of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype])
  for (const name of Object.keys(names))
    if (/^(?:lookup|resolve|reverse)/.test(name))
      // A numeric address needs no lookup.
      watch(names, name, (host) => net.isIP(String(host)) === 0 && note(`${name} ${host}`));
syncBuiltinESMExports();

function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number";
}

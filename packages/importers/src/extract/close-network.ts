/**
 * Blocks network access in this process before any parser is loaded. In this version of Node, the permission model
 * covers files, processes and add-ons, but not sockets; so this patches the modules that open them to refuse.
 */
import dgram from "node:dgram";
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";

function refuse(): never {
  throw new Error("This process has no network.");
}

net.Socket.prototype.connect = refuse;
net.Server.prototype.listen = refuse;
dgram.Socket.prototype.bind = refuse;
dgram.Socket.prototype.send = refuse;
dgram.Socket.prototype.connect = refuse;
for (const target of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
  for (const name of Object.keys(target)) {
    if (/^(?:lookup|resolve|reverse)/.test(name)) Object.assign(target, { [name]: refuse });
  }
}
syncBuiltinESMExports();
Reflect.deleteProperty(globalThis, "fetch");
Reflect.deleteProperty(globalThis, "WebSocket");
Reflect.deleteProperty(globalThis, "EventSource");

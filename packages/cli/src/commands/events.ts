/** `rungs events …`: which clients are told when granted data changes, and where to. */
import {
  allowEventAddress,
  endEventSubscription,
  forbidEventAddress,
  listEventAddresses,
  listEventSubscriptions,
} from "@rungs/server";
import type { Command } from "../command/command.ts";
import { Exit } from "../command/exit.ts";
import { renderTable } from "../command/table.ts";
import { asOwner } from "../home/database.ts";

/** `rungs events list`: every subscription with its state. */
export const eventsList: Command = {
  async run(call) {
    const subscriptions = await asOwner(call, listEventSubscriptions);
    const rows = subscriptions.map(({ subscription_id, client_id, grant_id, callback_url, status }) => [
      subscription_id,
      client_id,
      grant_id,
      status,
      callback_url,
    ]);
    if (call.flag("json")) call.io.out(JSON.stringify({ subscriptions }));
    else call.io.out(renderTable(["SUBSCRIPTION", "CLIENT", "GRANT", "STATE", "ADDRESS"], rows));
    return Exit.done;
  },
};

/** `rungs events end`: a client gets no more messages. */
export const eventsEnd: Command = {
  async run(call) {
    const [subscription_id = ""] = call.operands;
    await asOwner(call, (owner) => endEventSubscription(owner, subscription_id));
    const ended = `${subscription_id} has ended.`;
    call.io.out(call.flag("json") ? JSON.stringify({ subscription_id, ended: true }) : ended);
    return Exit.done;
  },
};

/** `rungs events allow`: clients may have messages sent to an address. */
export const eventsAllow: Command = {
  async run(call) {
    const address = await asOwner(call, (owner) => allowEventAddress(owner, call.operands[0] ?? ""));
    const allowed = `Clients may receive messages at ${address}.`;
    call.io.out(call.flag("json") ? JSON.stringify({ address, allowed: true }) : allowed);
    return Exit.done;
  },
};

/** `rungs events forbid`: nothing more is sent to an address. */
export const eventsForbid: Command = {
  async run(call) {
    const address = await asOwner(call, (owner) => forbidEventAddress(owner, call.operands[0] ?? ""));
    const forbidden = `Nothing more is sent to ${address}.`;
    call.io.out(call.flag("json") ? JSON.stringify({ address, allowed: false }) : forbidden);
    return Exit.done;
  },
};

/** `rungs events addresses`: the approved addresses. */
export const eventsAddresses: Command = {
  async run(call) {
    const addresses = await asOwner(call, listEventAddresses);
    const rows = addresses.map((address) => [address]);
    call.io.out(call.flag("json") ? JSON.stringify({ addresses }) : renderTable(["ADDRESS"], rows));
    return Exit.done;
  },
};

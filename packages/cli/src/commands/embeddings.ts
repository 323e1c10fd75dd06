/** `rungs embeddings …`: what compares texts by meaning (R65). */
import { chooseEmbeddings, describeEmbeddings, embedRecords } from "@rungs/server";
import type { EmbeddingChoice, EmbeddingStatus } from "@rungs/store";
import type { Command, CommandCall } from "../command/command.ts";
import { Exit, UsageError } from "../command/exit.ts";
import { asOwner } from "../home/database.ts";

const KINDS: Readonly<Record<EmbeddingStatus["kind"], string>> = {
  builtin: "Built-in vectors of English words compare texts by meaning. No text leaves this machine.",
  off: "Nothing is compared by meaning: searches use words alone.",
  endpoint: "A service compares texts by meaning.",
};

/** `rungs embeddings show`: the choice, where text goes, and how many records are embedded. */
export const embeddingsShow: Command = {
  run: (call) => report(call, asOwner(call, describeEmbeddings)),
};

/** `rungs embeddings use`: tries a service, then chooses it. */
export const embeddingsUse: Command = {
  details: [
    "URL is an OpenAI-compatible service on this machine: Ollama (http://127.0.0.1:11434/v1), llama.cpp, LM Studio.",
    "The service gets the text of titles and bodies of all records, and the words of every search.",
    "A service on another machine needs --send-text-to with its host: the text leaves this machine.",
  ],
  options: {
    model: { type: "string", value: "NAME", about: "the model that the service offers" },
    "key-from-env": {
      type: "string",
      value: "VAR",
      about: "the environment variable that has the service's key; only its name is stored",
    },
    "send-text-to": {
      type: "string",
      value: "HOST",
      about: "your consent that text is sent to this host, which is not this machine",
    },
  },
  run(call) {
    const [url = ""] = call.operands;
    const model = call.option("model");
    if (model === undefined) throw new UsageError("rungs embeddings use needs --model NAME.");
    const [key_env, send_text_to] = [call.option("key-from-env"), call.option("send-text-to")];
    return choose(call, { kind: "endpoint", url, model, key_env, send_text_to });
  },
};

/** `rungs embeddings builtin`: the vectors that come with the program. */
export const embeddingsBuiltin: Command = { run: (call) => choose(call, { kind: "builtin" }) };

/** `rungs embeddings off`: words alone. */
export const embeddingsOff: Command = { run: (call) => choose(call, { kind: "off" }) };

/** `rungs embeddings build`: embeds what is missing, as `rungs serve` does in the background. */
export const embeddingsBuild: Command = {
  async run(call) {
    const { io } = call;
    let last = "";
    const status = await asOwner(call, async (owner) => {
      await embedRecords(owner, {
        onStep: () => io.watch?.("embedding"),
        onFailure: (message) => {
          if (message !== last) io.err(`${message} Trying again.`);
          last = message;
        },
      });
      return describeEmbeddings(owner);
    });
    return report(call, Promise.resolve(status));
  },
};

function choose(call: CommandCall, choice: EmbeddingChoice): Promise<number> {
  return report(
    call,
    asOwner(call, (owner) => chooseEmbeddings(owner, choice)),
  );
}

async function report({ flag, io }: CommandCall, found: Promise<EmbeddingStatus>): Promise<number> {
  const status = await found;
  io.out(flag("json") ? JSON.stringify(status) : renderStatus(status));
  return Exit.done;
}

function renderStatus({ kind, endpoint, record_count, embedded_count, failure }: EmbeddingStatus): string {
  const lines = [KINDS[kind]];
  if (endpoint) {
    const { url, model, dimensions, key_env, consent } = endpoint;
    lines.push(`${model} at ${url}, ${dimensions} dimensions${key_env ? `, key from ${key_env}` : ""}.`);
    lines.push(
      consent
        ? `Text is sent to ${consent.host}, as you allowed on ${consent.at.slice(0, 10)}: titles, bodies and the words of searches.`
        : "No text leaves this machine.",
    );
  }
  if (kind !== "off") lines.push(`${embedded_count} of ${record_count} records are embedded.`);
  if (kind !== "off" && embedded_count < record_count)
    lines.push("rungs serve embeds the others in the background; rungs embeddings build does it now.");
  if (failure) lines.push(`${failure.message} (${failure.at.slice(0, 16).replace("T", " ")} UTC)`);
  return lines.join("\n");
}

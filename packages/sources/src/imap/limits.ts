import { MESSAGE_MAX_BYTES } from "@rungs/importers";

/** Resource limits for one server. A server that exceeds one is broken or hostile: the run ends and says which one. */
export const imapLimits = {
  /** A little more than the largest message, with its envelope. */
  literal_bytes: MESSAGE_MAX_BYTES + 1024 * 1024,
  line_bytes: 4 * 1024 * 1024,
  /** Of a response that is always short. */
  short_bytes: 256 * 1024,
  /** Of a list of folders. */
  list_bytes: 2 * 1024 * 1024,
  folders: 10_000,
  /** Messages of one folder. */
  messages: 4_000_000,
  /** Of the description of one message: its numbers, flags and labels. */
  entry_bytes: 4_096,
  connect_ms: 30_000,
  /** How long the server may stay silent. */
  silence_ms: 120_000,
  /** How long the whole answer to a command may take. */
  command_ms: 900_000,
};

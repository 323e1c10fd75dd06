/** Refusals in the words of a command line: flags in place of parameters, commands in place of calls. */
import { type ErrorBody, type ErrorCode, errorRegistry, isErrorCode } from "@rungs/contract";
import { GET_TOKEN } from "./exit.ts";
import { FLAGS, formatFlag, READ_COMMANDS } from "./flags.ts";

/** Advice for codes whose registry entry speaks of calls. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  invalid_request: "Correct it; --help says what the command takes.",
  unknown_field: "rungs schema lists the fields.",
  invalid_record_id: "Give an id as rungs search or rungs query printed it: CONNECTION/STREAM:KEY.",
  connection_conflict: "Omit --connection: the id already names its connection.",
  ambiguous_connection: "Choose one of these, or give --connection.",
  invalid_selector: "Use --cursor alone, --offset with --limit, or --q with --before and --after.",
  invalid_query: "Ask in plain words, or write the query as this message says.",
  work_limit_exceeded:
    "Use fewer words, phrases and prefixes, or narrow with --stream, --connection, --since, --until and --filter.",
  invalid_cursor: "Start again without --cursor, and copy the next one as it is printed.",
  cursor_foreign: "Start again without --cursor.",
  cursor_stale: "Read again from the start, without --cursor.",
  cursor_expired: "Start again without --cursor.",
  match_not_found: "Read it with --offset, or search for other words.",
  field_not_text: "Save the file with rungs blob BLOB_ID -o FILE.",
  field_not_searchable: "Read it with rungs read, or search for something else.",
  not_found: "Check the id, or find the record with rungs search or rungs query.",
  blob_not_found: "Take the blob_id from a record that rungs fetch shows.",
  range_not_satisfiable: "Request a range within the file; rungs blob BLOB_ID --json shows its size.",
  missing_token: GET_TOKEN,
  invalid_token: "Run rungs connect URL, or ask the owner for a new grant.",
  owner_token_required: "Make one with rungs token owner.",
  client_token_required: "Run rungs grant create and use the token that it prints.",
  field_not_granted: "rungs schema lists the granted fields.",
  grant_stream_not_allowed: "rungs schema lists the granted streams and connections.",
  grant_time_range_exceeded: "Ask for a time within the granted range; rungs schema shows it.",
  not_implemented: "rungs --help lists the commands.",
  rate_limited: "Wait a little, then run the command again.",
  request_quota_exceeded:
    "Wait a minute, then run the command again; the server's administrator sets the quota.",
  read_cancelled: "Run the command again.",
  internal_error: "Retry once; if it fails again, give the owner the request_id.",
};

/** Parameters that messages begin with and that are not flags. */
const FIRST_WORDS: Readonly<Record<string, string>> = { id: "The id", q: "The query", stream: "The stream" };

/** Rephrases a refusal for the person at the keyboard; keeps advice that was written for this very case. */
export function describeHere({ code, message, next, param }: ErrorBody["error"]) {
  const isGeneral = isErrorCode(code) && next === errorRegistry[code].next;
  const advice = isGeneral ? (ADVICE[code] ?? next) : next;
  return { message: renameParameters(renameFirst(message, param)), advice: renameParameters(advice) };
}

function renameFirst(message: string, param: string | undefined): string {
  if (param === undefined || findWord(param) !== undefined || !/^\w+$/.test(param)) return message;
  if (!message.startsWith(`${param} `)) return message;
  return `${FIRST_WORDS[param] ?? `--${param}`}${message.slice(param.length)}`;
}

function renameParameters(text: string): string {
  const withValue = (whole: string, name: string, value: string) => {
    const word = findWord(name);
    return word === undefined ? whole : `${word} ${value}`;
  };
  return text
    .replace(/\b(\w+)=(\d+)\b/g, withValue)
    .replace(/\b[a-z]+_[a-z]+\b/g, (name) => findWord(name) ?? name)
    .replace(/(?<=\b(?:with|needs) )q\b/g, "--q");
}

/** The flag or operand of a parameter; messages use a name without underscore as an ordinary word too. */
function findWord(parameter: string): string | undefined {
  if (parameter === "field_path") return READ_COMMANDS.read_record_field.operands.field_path;
  return parameter.includes("_") && Object.hasOwn(FLAGS, parameter)
    ? `--${formatFlag(parameter)}`
    : undefined;
}

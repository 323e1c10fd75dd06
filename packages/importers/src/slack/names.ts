import { asObject, asText, type ExportedObject } from "../json/values.ts";

/** What ids in texts stand for. */
export interface Names {
  /** Of people by their id, and of bots also by their bot id. */
  readonly users: Map<string, string>;
  readonly channels: Map<string, string>;
}

/** What a person or bot is called: as they chose to be shown, else by full name, else by account. */
export function findUserName(user: ExportedObject): string | undefined {
  const profile = asObject(user.profile);
  return (
    asText(profile.display_name) ??
    asText(user.display_name) ??
    asText(profile.real_name) ??
    asText(user.real_name) ??
    asText(user.name)
  );
}

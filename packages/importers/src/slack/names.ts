import { asObject, asText, type ExportedObject } from "../json/values.ts";

/** The names for ids in texts. */
export interface Names {
  /** Of people by their id, and of bots also by their bot id. */
  readonly users: Map<string, string>;
  readonly channels: Map<string, string>;
}

/** The name of a person or bot: the display name, else the full name, else the account name. */
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

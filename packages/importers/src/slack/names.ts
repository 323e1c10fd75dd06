import { type JsonObject, objectOf, textOf } from "../json/values.ts";

/** What ids in texts stand for. */
export interface Names {
  /** Of people by their id, and of bots also by their bot id. */
  readonly users: Map<string, string>;
  readonly channels: Map<string, string>;
}

/** What a person or bot is called: as they chose to be shown, else by full name, else by account. */
export function nameOfUser(user: JsonObject): string | undefined {
  const profile = objectOf(user.profile);
  return (
    textOf(profile.display_name) ??
    textOf(user.display_name) ??
    textOf(profile.real_name) ??
    textOf(user.real_name) ??
    textOf(user.name)
  );
}

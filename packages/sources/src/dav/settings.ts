import { ApiError } from "@rungs/contract";
import { z } from "zod";
import type { SourceSettings } from "../live-source.ts";
import { isThisMachine } from "../this-machine.ts";

const names = z.array(z.string().min(1)).max(1000);

const settingsSchema = z.strictObject({
  /** Where the server is; its calendars and address books are found from there. */
  url: z.url({ protocol: /^https?$/ }),
  user: z.string().min(1).max(512),
  /** Other hosts that the server may redirect to, such as the account's own. */
  hosts: z
    .array(z.string().regex(/^[A-Za-z0-9.:_-]{1,253}$/))
    .max(20)
    .optional(),
  /** The private certificate authority of the server, in PEM. */
  ca: z.string().max(65_536).optional(),
  /** The only calendars or address books to read, by name; all by default. */
  folders: names.optional(),
  /** Calendars or address books to leave out, by name. */
  without_folders: names.optional(),
});

/** The settings of an account with calendars or contacts. */
export type DavSettings = z.infer<typeof settingsSchema>;

/** Checks the settings of an account; throws `invalid_request`. */
export function requireDavSettings(given: SourceSettings): DavSettings {
  const parsed = settingsSchema.safeParse(given);
  if (!parsed.success) {
    const param = parsed.error.issues[0]?.path.join(".") || "settings";
    throw new ApiError("invalid_request", {
      param,
      message: `The account needs a correct ${param}.`,
      next: "Give the address of the server, such as https://dav.example.org/, and the user name.",
    });
  }
  const { protocol, hostname, username, password } = new URL(parsed.data.url);
  if (username !== "" || password !== "")
    throw new ApiError("invalid_request", {
      param: "url",
      message: "The address has a user name or a password in it, where lists and logs would show it.",
      next: "Remove it from the address; give the user name separately, and the password when asked.",
    });
  if (protocol === "http:" && !isThisMachine(hostname))
    throw new ApiError("invalid_request", {
      param: "url",
      message: `A connection to ${hostname} without TLS would show the password and the data to the network.`,
      next: "Use https://; only this machine itself may be reached without TLS.",
    });
  return parsed.data;
}

/** Every host, with its port, that the account may be read from (R79). */
export function listDavHosts({ url, hosts = [] }: DavSettings): string[] {
  return [new URL(url).host, ...hosts];
}

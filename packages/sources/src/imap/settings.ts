import { ApiError } from "@rungs/contract";
import { z } from "zod";
import type { SourceSettings } from "../live-source.ts";
import { oauthSettingsSchema } from "../oauth/settings.ts";
import { isThisMachine } from "../this-machine.ts";

const settingsSchema = z.strictObject({
  host: z.string().regex(/^[A-Za-z0-9.:_-]{1,253}$/),
  port: z.int().min(1).max(65535).optional(),
  user: z.string().min(1).max(512),
  /** `tls` from the first byte, `starttls` before the sign-in, or `none`, which only this machine may use. */
  security: z.enum(["tls", "starttls", "none"]).optional(),
  /** Where access tokens come from, in place of a password. */
  oauth: oauthSettingsSchema.optional(),
  /** The private certificate authority of the server, in PEM. */
  ca: z.string().max(65_536).optional(),
  /** The only folders to read; all by default. */
  folders: z.array(z.string().min(1)).max(1000).optional(),
  /** Folders to leave out. */
  without_folders: z.array(z.string().min(1)).max(1000).optional(),
});

/** The settings of a mailbox. */
export type ImapSettings = z.infer<typeof settingsSchema> & {
  readonly port: number;
  readonly security: "tls" | "starttls" | "none";
};

const PORTS = { tls: 993, starttls: 143, none: 143 } as const;

/** Checks the settings of a mailbox and fills in its port; throws `invalid_request`. */
export function requireImapSettings(given: SourceSettings): ImapSettings {
  const parsed = settingsSchema.safeParse(given);
  if (!parsed.success) {
    const param = parsed.error.issues[0]?.path.join(".") || "settings";
    throw new ApiError("invalid_request", {
      param,
      message: `The mailbox needs a correct ${param}.`,
      next: "Give the address of the server, such as imaps://imap.example.org, and the user name.",
    });
  }
  const { port: named, security = named === 143 ? "starttls" : "tls", ...settings } = parsed.data;
  if (security === "none" && !isThisMachine(settings.host))
    throw new ApiError("invalid_request", {
      param: "security",
      message: `A connection to ${settings.host} without TLS would show the password and the mail to the network.`,
      next: "Use imaps://, or imap:// with STARTTLS; only this machine itself may be reached without TLS.",
    });
  return { ...settings, security, port: named ?? PORTS[security] };
}

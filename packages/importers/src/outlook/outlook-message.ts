/** An Outlook message, from an MSG file or a data file, as the process that reads it hands it over. */
export interface OutlookMessage {
  /** The header with which it came through the internet; messages that were never sent have none. */
  readonly headers?: string | undefined;
  readonly subject?: string | undefined;
  readonly from?: OutlookPerson | undefined;
  readonly recipients: readonly (OutlookPerson & { readonly kind: "to" | "cc" | "bcc" })[];
  /** RFC 3339. */
  readonly sent_at?: string | undefined;
  readonly message_id?: string | undefined;
  readonly in_reply_to?: string | undefined;
  readonly references?: string | undefined;
  /** What Outlook's conversation of it begins with, for messages without a Message-ID. */
  readonly conversation?: string | undefined;
  readonly text?: string | undefined;
  readonly html?: string | undefined;
  readonly is_read: boolean;
  readonly is_draft: boolean;
  readonly attachments: readonly OutlookAttachment[];
}

/** A sender or recipient. */
export interface OutlookPerson {
  readonly name: string;
  /** Empty where only a directory of Exchange knows it. */
  readonly address: string;
}

/** A file, or another message as an MSG file. */
export interface OutlookAttachment {
  readonly file_name?: string | undefined;
  readonly mime_type?: string | undefined;
  readonly bytes: Uint8Array;
}

/** Texts as properties have them: empty ones are left out. */
export function orNone(text: string | undefined | null): string | undefined {
  return text === undefined || text === null || text.trim() === "" ? undefined : text;
}

/** A person whose address may be one of Exchange's directory, which nobody outside can use. */
export function toPerson(
  name: string | undefined,
  ...addresses: readonly (string | undefined)[]
): OutlookPerson {
  const address = addresses.find((each) => each?.includes("@")) ?? "";
  return { name: (name ?? "").replace(/^'(.*)'$/, "$1"), address };
}

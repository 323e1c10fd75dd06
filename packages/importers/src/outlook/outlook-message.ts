/** An Outlook message, from an MSG file or a data file, in the form that the reading process returns. */
export interface OutlookMessage {
  /** Its internet headers; a message that was never sent has none. */
  readonly headers?: string | undefined;
  readonly subject?: string | undefined;
  readonly from?: OutlookPerson | undefined;
  readonly recipients: readonly (OutlookPerson & { readonly kind: "to" | "cc" | "bcc" })[];
  /** RFC 3339. */
  readonly sent_at?: string | undefined;
  readonly message_id?: string | undefined;
  readonly in_reply_to?: string | undefined;
  readonly references?: string | undefined;
  /** The shared prefix of its Outlook conversation index, for messages without a Message-ID. */
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
  /** Empty if only an Exchange directory knows it. */
  readonly address: string;
}

/** A file, or another message as an MSG file. */
export interface OutlookAttachment {
  readonly file_name?: string | undefined;
  readonly mime_type?: string | undefined;
  readonly bytes: Uint8Array;
}

/** The text of a property; undefined if it is missing or blank. */
export function orNone(text: string | undefined | null): string | undefined {
  return text === undefined || text === null || text.trim() === "" ? undefined : text;
}

/** A person with the first of `addresses` that is an email address; others are internal to an Exchange directory. */
export function toPerson(
  name: string | undefined,
  ...addresses: readonly (string | undefined)[]
): OutlookPerson {
  const address = addresses.find((each) => each?.includes("@")) ?? "";
  return { name: (name ?? "").replace(/^'(.*)'$/, "$1"), address };
}

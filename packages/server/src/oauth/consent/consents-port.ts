/** What the owner sees before a client gets a grant, and what the owner says to it: the seam between OAuth and its page. */
import type { Grant } from "@rungs/contract";

/** The open questions of clients to the owner. */
export interface Consents {
  /** One question as it stands with a choice, or as the client asked it; undefined when it is over or unknown. */
  view(uid: string, decision?: ConsentDecision): Promise<ConsentView | undefined>;
  /** Grants exactly what was shown: a view whose digest differs by now is given back instead, to be shown again. */
  approve(
    uid: string,
    decision: ConsentDecision,
    shown: { readonly digest: string; readonly training_allowed: boolean },
  ): Promise<ConsentResult>;
  /** Says no; the address that takes the browser back to the client. */
  deny(uid: string): Promise<string | undefined>;
  /** The question that a device asks whose code the owner has typed (RFC 8628); undefined when no device shows it. */
  findDevice(user_code: string): Promise<string | undefined>;
}

/** What became of an approval. */
export type ConsentResult =
  | { readonly kind: "granted"; readonly redirect_url: string }
  /** What would be granted is no longer what was shown, or something is missing: `reason` says which. */
  | { readonly kind: "shown_again"; readonly view: ConsentView; readonly reason: string };

/** What the owner has narrowed the question to. */
export interface ConsentDecision {
  readonly streams: readonly ChosenStream[];
  /** When the grant ends; never later than the client asked. */
  readonly expires_in_days?: number | undefined;
}

/** One stream of one connection with the fields that may be read. */
export interface ChosenStream {
  readonly connection_id: string;
  readonly stream: string;
  readonly fields: readonly string[];
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** One question, ready to be shown. */
export interface ConsentView {
  readonly uid: string;
  readonly client: ConsentClient;
  /** What a device shows that asks without a browser: the owner compares it. */
  readonly user_code?: string | undefined;
  readonly purpose_code: string;
  readonly purpose_description?: string | undefined;
  readonly access_mode: Grant["access_mode"];
  readonly retention?: Grant["retention"];
  /** What the client promises, in its own words. */
  readonly commitments: readonly string[];
  /** Whether training was asked for, which takes a yes of its own. */
  readonly asks_training: boolean;
  /** False when the client named nothing: the owner picks from everything. */
  readonly is_specific: boolean;
  /** Everything that can be chosen: what the client asked for, or all there is. */
  readonly grantable: readonly GrantableStreams[];
  /** What the client asked for and cannot be given, each with the reason. */
  readonly unavailable: readonly string[];
  /** The choice that this view shows. */
  readonly decision: ConsentDecision;
  /** What the choice resolves to, stream by stream, and what it shows the client. */
  readonly streams: readonly ConsentStreamView[];
  /** Binds an approval to what was shown. */
  readonly digest: string;
}

/** Who asks. All of it is the client's own claim but `client_id`, and `is_verified` says whether that was proven. */
export interface ConsentClient {
  readonly client_id: string;
  readonly name: string;
  readonly is_verified: boolean;
  /** Where the browser goes afterwards. */
  readonly redirect_host: string;
  readonly is_loopback: boolean;
}

/** A connection with what can be chosen of it. */
export interface GrantableStreams {
  readonly connection_id: string;
  readonly display_name: string;
  readonly streams: readonly GrantableStream[];
}

/** A stream with what can be chosen of it. */
export interface GrantableStream {
  readonly stream: string;
  readonly label: string;
  readonly has_time: boolean;
  /** `is_required`: the source's schema demands it, so it is part of any grant of the stream. */
  readonly fields: readonly { readonly name: string; readonly is_required: boolean }[];
}

/** What a grant of one stream would open. */
export interface ConsentStreamView extends ChosenStream {
  readonly display_name: string;
  readonly label: string;
  readonly record_count: number;
  readonly first_at?: string | undefined;
  readonly last_at?: string | undefined;
  /** Some records exactly as the agent would read them, rendered as for the agent. */
  readonly samples: readonly string[];
}

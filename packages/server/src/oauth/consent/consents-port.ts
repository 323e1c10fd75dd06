/** The port between the OAuth provider and the consent page: what the owner sees before a client gets a grant, and the owner's answer. */
import type { Condition, Grant, GrantBudget } from "@rungs/contract";
import type { MaskRules, Role } from "@rungs/evidence";

/** The open authorization requests, for the owner to approve or deny. */
export interface Consents {
  /** A request with the owner's decision applied, or as the client requested it; undefined when it is closed or unknown. */
  view(uid: string, decision?: ConsentDecision): Promise<ConsentView | undefined>;
  /** Grants exactly what was shown; when the digest no longer matches, returns the new view instead. */
  approve(
    uid: string,
    decision: ConsentDecision,
    shown: { readonly digest: string; readonly training_allowed: boolean },
  ): Promise<ConsentResult>;
  /** Refuses the request; returns the URL that takes the browser back to the client. */
  deny(uid: string): Promise<string | undefined>;
  /** The uid of the request from the device that shows this code (RFC 8628); undefined when there is none. */
  findDevice(user_code: string): Promise<string | undefined>;
}

/** The outcome of an approval. */
export type ConsentResult =
  | { readonly kind: "granted"; readonly redirect_url: string }
  /** Not granted: the view changed since it was shown, or the decision is incomplete; `reason` says which. */
  | { readonly kind: "shown_again"; readonly view: ConsentView; readonly reason: string };

/** What the owner narrowed the request to. */
export interface ConsentDecision {
  readonly streams: readonly ChosenStream[];
  /** The lifetime of the grant; never longer than the client requested. */
  readonly expires_in_days?: number | undefined;
  /** What is masked in every chosen field that is not among the `plain_fields` of its stream (R82). */
  readonly masks?: MaskRules | undefined;
  /** How much may be read (R83). */
  readonly budget?: GrantBudget | undefined;
}

/** One stream of one connection with the fields that the client may read. */
export interface ChosenStream {
  readonly connection_id: string;
  readonly stream: string;
  readonly fields: readonly string[];
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Conditions of the owner, besides those that the client asked for. */
  readonly where?: readonly Condition[] | undefined;
  /** The fields that stay as they are where the decision masks. */
  readonly plain_fields?: readonly string[] | undefined;
  /** Only these records, by key. */
  readonly resources?: readonly string[] | undefined;
}

/** One authorization request, ready to display. */
export interface ConsentView {
  readonly uid: string;
  readonly client: ConsentClient;
  /** The code that a device without a browser displays, for the owner to compare. */
  readonly user_code?: string | undefined;
  readonly purpose_code: string;
  readonly purpose_description?: string | undefined;
  readonly access_mode: Grant["access_mode"];
  readonly retention?: Grant["retention"];
  /** The client's own claims about how it will use the data. */
  readonly commitments: readonly string[];
  /** Whether the client requests training, which needs a separate consent. */
  readonly asks_training: boolean;
  /** False when the client sent no details: the owner picks from everything. */
  readonly is_specific: boolean;
  /** Everything the owner can grant: what the client requested, or all streams. */
  readonly grantable: readonly GrantableStreams[];
  /** Requested but unavailable, each with the reason. */
  readonly unavailable: readonly string[];
  /** The decision that this view shows. */
  readonly decision: ConsentDecision;
  /** What the decision grants, stream by stream, with samples of what the client will see. */
  readonly streams: readonly ConsentStreamView[];
  /** Binds an approval to this view. */
  readonly digest: string;
}

/** The client. Everything except `client_id` is its own claim; `is_verified` says whether `client_id` was proven. */
export interface ConsentClient {
  readonly client_id: string;
  readonly name: string;
  /** Where the name comes from: the client's registration or document, this request, or nowhere; then it is the id. */
  readonly named_by: "client" | "request" | "nobody";
  /** Where the client says that its policy and terms are. */
  readonly policies: readonly string[];
  readonly is_verified: boolean;
  /** Where the browser is redirected afterwards. */
  readonly redirect_host: string;
  readonly is_loopback: boolean;
}

/** A connection with the streams that the owner can grant. */
export interface GrantableStreams {
  readonly connection_id: string;
  readonly display_name: string;
  readonly streams: readonly GrantableStream[];
}

/** A stream that the owner can grant. */
export interface GrantableStream {
  readonly stream: string;
  readonly label: string;
  readonly has_time: boolean;
  readonly fields: readonly GrantableField[];
  /** The fields that conditions can compare; the client need not be able to read them. */
  readonly selectable: readonly SelectableField[];
  /** The conditions that the client asked for, as text: the owner cannot take them away. */
  readonly requested_conditions: readonly string[];
}

/** A field whose values can select records. */
export interface SelectableField {
  readonly name: string;
  readonly role?: Role | undefined;
}

/** A field that the owner can grant. */
export interface GrantableField {
  readonly name: string;
  /** The schema requires the field, so every grant of the stream includes it. */
  readonly is_required: boolean;
  /** The source declares it private: it is off until the owner chooses it. */
  readonly is_private: boolean;
}

/** What a grant opens of one stream. */
export interface ConsentStreamView extends ChosenStream {
  /** All conditions on its records, as text: those that the client asked for and those of the owner. */
  readonly conditions: readonly string[];
  readonly display_name: string;
  readonly label: string;
  readonly record_count: number;
  /** How many records of the stream the grant does not open. */
  readonly left_out_count: number;
  /** The fields in which values are masked. */
  readonly masked_fields: readonly string[];
  readonly first_at?: string | undefined;
  readonly last_at?: string | undefined;
  /** Sample records, rendered exactly as the agent would read them. */
  readonly samples: readonly string[];
}

/** Checks an envelope against the declaration of its stream. */
import { ApiError, type RecordEnvelope } from "@rungs/contract";
import { CodedError } from "@rungs/evidence";
import type { WritablePartition } from "../catalog/catalog.ts";
import type { IngestOutcome } from "../store.ts";
import { readConsentTime } from "./record-writer.ts";

/** Where a record is written: its partition and its key. */
export interface WritePlace {
  readonly partition: WritablePartition;
  readonly record_id: string;
}

/** An envelope that its stream's declaration accepts, with the record key computed from it. */
export interface Checked extends WritePlace {
  readonly envelope: RecordEnvelope;
  /** The data before it was masked, for a masked copy: conditions compare it. */
  readonly compared?: Readonly<Record<string, unknown>> | undefined;
}

/** The envelope with its key, or why it is rejected. */
export function checkEnvelope(
  envelope: RecordEnvelope,
  partition: WritablePartition | undefined,
): Checked | IngestOutcome {
  if (!partition) return reject(new ApiError("unknown_stream", { param: "stream" }));
  try {
    const record_id = partition.check(envelope);
    const time = partition.shape.consent_time_field;
    const value = time === undefined ? null : (envelope.data?.[time] ?? null);
    if (
      envelope.op !== "delete" &&
      value !== null &&
      readConsentTime(partition, envelope.data ?? {}) === null
    ) {
      throw new ApiError("invalid_record", {
        param: time as string,
        message: `${time} is not a valid time.`,
      });
    }
    return { envelope, partition, record_id };
  } catch (error) {
    if (error instanceof CodedError) return reject(error);
    throw error;
  }
}

/** The outcome of an envelope that is rejected. */
export function reject(error: CodedError): IngestOutcome {
  return { status: "rejected", code: error.code, message: error.message, param: error.details.param };
}

/** How confidently a format was recognized, the most confident first: by a signature, by its structure, or by a guess. */
export const CONFIDENCES = ["signature", "structure", "guess"] as const;

/** See `CONFIDENCES`. A guess is always reported, so that the owner notices a wrong one. */
export type Confidence = (typeof CONFIDENCES)[number];

/** Why files were detected as a format. */
export interface Detection {
  readonly confidence: Confidence;
  /** A clause about the file, without its content: `it begins with BEGIN:VCALENDAR`. */
  readonly reason: string;
}

/** Compares two detections: negative if the first is more confident. */
export function compareDetections(a: Detection, b: Detection): number {
  return CONFIDENCES.indexOf(a.confidence) - CONFIDENCES.indexOf(b.confidence);
}

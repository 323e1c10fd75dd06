import type { StreamShape } from "./stream-shape.ts";

/** A stream's shape as a grant shows it: without the fields that are not granted. */
export function narrowShape(shape: StreamShape, fields: readonly string[]): StreamShape {
  const { cursor_field, consent_time_field, ...rest } = shape;
  const isGranted = (name: string | undefined): name is string => name !== undefined && fields.includes(name);
  return {
    ...rest,
    ...(isGranted(cursor_field) ? { cursor_field } : {}),
    ...(isGranted(consent_time_field) ? { consent_time_field } : {}),
    fields: shape.fields.filter(({ name }) => fields.includes(name)),
  };
}

import { fieldWindow } from "./field-window.ts";
import { record } from "./record.ts";
import type { Resource } from "./resource.ts";

/** Every kind of resource. */
export const resources: readonly Resource[] = [record, fieldWindow];

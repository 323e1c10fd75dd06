import type { ReadScope } from "@rungs/contract";
import type { Sources } from "../access/sources.ts";

/** Granted streams that a search cannot look into, because none of their granted fields is searchable (R17). */
export function listUnsearched({ streams }: ReadScope, sources: Sources): string[] {
  return streams
    .filter(({ connection_id, stream, fields }) => {
      const shape = sources.get(connection_id)?.shapes.get(stream);
      return !shape?.fields.some(({ name, lexical }) => lexical.length > 0 && fields.includes(name));
    })
    .map(({ connection_id, stream }) => `${connection_id}/${stream}: no searchable field is granted`);
}

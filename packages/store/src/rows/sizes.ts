/** A value whose text is longer than this is stored in chunks; shorter ones stay in the record's row. */
export const INLINE_CHARS = 4_096;
/** The longest chunk. Measured: smaller costs space, larger costs time. */
export const CHUNK_CHARS = 4_096;
/** What a row keeps of a value that is stored in chunks. */
export const HEAD_CHARS = 1_024;
/** The longest row. In a stream of many fields each has its share of it, and what is longer is stored in chunks. */
export const ROW_CHARS = 32_768;
/** How much of the next chunk is needed to read the last tokens of a chunk as they were read at ingest. */
export const LOOKAHEAD_CHARS = 64;
/** The longest filterable value; what is longer is found by its beginning only in order, never as equal. */
export const SCALAR_BYTES = 1_024;
/** How many values inside one large value get paths of their own, beside the searchable strings. */
export const NESTED_PATHS = 4_096;
/** The longest sort key in a row: with the longest record key beside it, it must fit an index entry of PostgreSQL. */
export const SORT_KEY_BYTES = 256;

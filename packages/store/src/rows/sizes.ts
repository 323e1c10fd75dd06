/** A value whose text is longer than this is stored in chunks; shorter ones stay in the record's row. */
export const INLINE_CHARS = 4_096;
/** The longest chunk. Measured: smaller costs space, larger costs time. */
export const CHUNK_CHARS = 4_096;
/** The length of the prefix that a row keeps of a value in chunks. */
export const HEAD_CHARS = 1_024;
/** The longest row. In a stream of many fields each gets a share of it; longer values are stored in chunks. */
export const ROW_CHARS = 32_768;
/** How much of the next chunk is needed to tokenize the end of a chunk as at ingest. */
export const LOOKAHEAD_CHARS = 64;
/** The longest filterable value. Longer values sort by their prefix and never compare as equal. */
export const SCALAR_BYTES = 1_024;
/** How many values inside one large value get their own paths, besides the searchable strings. */
export const NESTED_PATHS = 4_096;
/** How many strings of one record that encode bytes are stored apart; more of them stay in their parents' text. */
export const ENCODED_VALUES = 1_000;
/** The longest sort key in a row: together with the longest record key, it must fit in a PostgreSQL index entry. */
export const SORT_KEY_BYTES = 256;

/**
 * How much a random test tries: the short form in `npm test`, the long form in `npm run test:long`, or what the variable says.
 * One table, so that the time of a test run is decided in one place.
 */
const SIZES = {
  RUNGS_AUTHORIZATION_GRANTS: { short: 64, long: 10_000 },
  RUNGS_DAV_STEPS: { short: 120, long: 5_000 },
  RUNGS_DIFFERENTIAL_STEPS: { short: 3_200, long: 100_000 },
  RUNGS_ENCRYPTED_STEPS: { short: 80, long: 20_000 },
  RUNGS_EXPENSIVE_QUERIES: { short: 200, long: 10_000 },
  RUNGS_FOLDER_STEPS: { short: 120, long: 5_000 },
  RUNGS_FUZZ_CASES: { short: 8_000, long: 1_000_000 },
  RUNGS_FUZZ_REQUESTS: { short: 4_000, long: 100_000 },
  RUNGS_GRANT_PAIRS: { short: 40, long: 1_000 },
  RUNGS_SYNC_HISTORIES: { short: 1, long: 200 },
  RUNGS_IMPORT_KILLS: { short: 2, long: 50 },
  RUNGS_INTERFERENCE_ROUNDS: { short: 12, long: 400 },
  RUNGS_LARGE_FIELD_MIB: { short: 8, long: 20 },
  RUNGS_MASKING_ROUNDS: { short: 10, long: 1_000 },
  RUNGS_PARITY_RUNS: { short: 12, long: 200 },
  RUNGS_REVOCATIONS: { short: 3, long: 50 },
  RUNGS_STREAM_REVOCATIONS: { short: 8, long: 200 },
} as const;

export function readSize(name: keyof typeof SIZES): number {
  const given = process.env[name];
  if (given !== undefined) return Number(given);
  return process.env.RUNGS_LONG === undefined ? SIZES[name].short : SIZES[name].long;
}

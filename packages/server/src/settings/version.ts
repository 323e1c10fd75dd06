/** The version of this program, equal to that of its packages. */
export const PROGRAM_VERSION = "0.1.0";

/** The one scope there is: what may be read is said by authorization details, not by scopes. */
export const SCOPE = "read";

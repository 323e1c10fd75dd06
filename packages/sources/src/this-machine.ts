/** Whether a host is this machine, as a name or an address. */
export function isThisMachine(host: string): boolean {
  return host === "localhost" || /^\[?::1\]?$/.test(host) || /^127(?:\.\d{1,3}){3}$/.test(host);
}

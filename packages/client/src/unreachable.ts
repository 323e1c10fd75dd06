/** No answer came: the server is not there, or the connection broke. */
export class ServerUnreachable extends Error {
  constructor(base_url: string, options?: ErrorOptions) {
    super(`The server at ${base_url} cannot be reached.`, options);
    this.name = "ServerUnreachable";
  }
}

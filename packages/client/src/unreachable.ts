/** No answer came: the server is down, or the connection broke. */
export class ServerUnreachable extends Error {
  constructor(base_url: string, options?: ErrorOptions) {
    super(`The server at ${base_url} cannot be reached.`, options);
    this.name = "ServerUnreachable";
  }
}

/** Runs one step of a request; a network failure becomes `ServerUnreachable`. */
export async function reach<T>(base_url: string, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (cause) {
    throw new ServerUnreachable(base_url, { cause });
  }
}

import { ApiError } from "@rungs/contract";

/** Gives up on an answer that takes too long, so that no caller waits for ever. */
export async function withDeadline<T>(work: Promise<T>, limit_ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const message = `The answer took longer than ${limit_ms / 1000} seconds.`;
      reject(new ApiError("database_unavailable", { message }));
    }, limit_ms);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

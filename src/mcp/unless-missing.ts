import { ApiError } from '../kit/http/index.ts';

/** What was asked for, or nothing when it is not there for this caller. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

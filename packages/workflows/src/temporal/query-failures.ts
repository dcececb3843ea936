import { type Json, QUERY_FAILURE } from '../protocol.ts';

/** Set where what leaves the worker is sealed. */
export const queryFailures = { areResults: false };

export function answerQuery(handler: () => Json): Json {
  if (!queryFailures.areResults) return handler();
  try {
    return handler();
  } catch (error) {
    return { [QUERY_FAILURE]: error instanceof Error ? error.message : String(error) };
  }
}

import { type Json, QUERY_FAILURE } from '../protocol.ts';

/** Set in encrypting workers. */
export const queryFailures = { areResults: false };

export function answerQuery(handler: () => Json): Json {
  if (!queryFailures.areResults) return handler();
  try {
    return handler();
  } catch (error) {
    return { [QUERY_FAILURE]: error instanceof Error ? error.message : String(error) };
  }
}

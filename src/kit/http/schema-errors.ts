import { ApiError } from './errors.ts';
import { requestErrors } from './request-errors.ts';

/**
 * The 422 for a schema that costs too much. An ApiError, because it can also end a run or a stream, where only its
 * sentence and its code are shown.
 */
export function schemaTooExpensive(loc: (string | number)[], msg: string): ApiError {
  const { code } = requestErrors.schema_too_expensive;
  return new ApiError(422, msg, { code, body: { detail: [requestErrors.schema_too_expensive.item(loc, msg)] } });
}

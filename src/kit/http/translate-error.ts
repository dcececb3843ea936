import type { Socket } from 'node:net';
import { codeOf } from '../base/error-code.ts';
import { storageProblemOf } from '../base/storage-failure.ts';
import { errorBody } from './error-bodies.ts';
import { ApiError, ValidationFailed } from './errors.ts';
import { requestErrors } from './request-errors.ts';
import { storageError } from './storage-errors.ts';

/** Turns anything thrown into an error that may be shown. An unknown error is a 500 without details. */
export function translateError(error: unknown): ApiError | ValidationFailed {
  if (error instanceof ApiError || error instanceof ValidationFailed) return error;
  const problem = storageProblemOf(error);
  if (problem) return storageError(problem, error);
  switch (codeOf(error)) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return requestErrors.unsupported_media_type('Send the body as application/json.');
    case 'FST_ERR_BAD_URL':
      return requestErrors.malformed_request();
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return requestErrors.route_not_found('No name is as long as the one in this path.');
    // A reference to a row that is gone; transactions that wait for each other, again after several tries.
    case '23503':
    case 'SQLITE_CONSTRAINT_FOREIGNKEY':
    case '40001':
    case '40P01':
      return requestErrors.changed_meanwhile({ cause: error });
    default:
      return requestErrors.internal_error({ cause: error });
  }
}

const REASONS = { 400: 'Bad Request', 408: 'Request Timeout', 431: 'Request Header Fields Too Large' };

/** Bytes that never became a request: too slow, too long, or not HTTP at all. */
export function answerClientError(error: Error, socket: Socket): void {
  const code = codeOf(error);
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const reason = REASONS[status];
  const body = JSON.stringify(
    errorBody(new ApiError(status, `${reason}. The connection was closed.`), { shape: 'object' }),
  );
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

import type { Socket } from 'node:net';
import { storageProblemOf } from '../base/storage-failure.ts';
import { errorBody } from './error-bodies.ts';
import { ApiError, ValidationFailed } from './errors.ts';
import { storageError } from './storage-errors.ts';

/** Whatever was thrown, as something we may show. What we do not know is a 500 that says nothing. */
export function translateError(error: unknown): ApiError | ValidationFailed {
  if (error instanceof ApiError || error instanceof ValidationFailed) return error;
  const problem = storageProblemOf(error);
  if (problem) return storageError(problem, error);
  switch (codeOf(error)) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError(415, 'Send the body as application/json.');
    case 'FST_ERR_BAD_URL':
      return new ApiError(400, 'The address of the request is not valid.');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ApiError(404, 'Nothing here has a name as long as the one in this address.');
    default:
      return new ApiError(500, 'Something went wrong on our side. Report the request id to the operator.', {
        cause: error,
      });
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

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Logger } from '../kit/base/log.ts';
import { ApiError, ValidationFailed } from '../kit/http/index.ts';

type Explained = { kind: 'refused' | 'forbidden' | 'unknown'; message: string };

/** The message of an error for the client. Unexpected errors are logged and reveal nothing. */
export function explainError(error: unknown, log: Logger): Explained {
  if (error instanceof ApiError && error.status < 500) {
    return { kind: error.status === 403 ? 'forbidden' : 'refused', message: error.message };
  }
  if (error instanceof ValidationFailed) {
    return { kind: 'refused', message: error.items.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('\n') };
  }
  log.error({ err: error }, 'An MCP request failed.');
  return { kind: 'unknown', message: 'Internal error. Try again, or tell the operator when it happened.' };
}

/** Turns what the work throws into an error of the protocol. */
export async function withProtocolErrors<T>(log: Logger, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const { kind, message } = explainError(error, log);
    const code = kind === 'unknown' ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
    throw new ProtocolError(code, message);
  }
}

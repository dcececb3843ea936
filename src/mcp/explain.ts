import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Logger } from '../kit/base/log.ts';
import { ApiError, ValidationFailed } from '../kit/http/index.ts';

type Explained = { kind: 'refused' | 'forbidden' | 'unknown'; message: string };

/** What a service threw, in words for the client. What we do not know says nothing and is logged. */
export function explain(error: unknown, log: Logger): Explained {
  if (error instanceof ApiError && error.status < 500) {
    return { kind: error.status === 403 ? 'forbidden' : 'refused', message: error.message };
  }
  if (error instanceof ValidationFailed) {
    return { kind: 'refused', message: error.items.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('\n') };
  }
  log.error({ err: error }, 'An MCP request failed.');
  return { kind: 'unknown', message: 'Something went wrong on our side. Try again, or tell the operator the time.' };
}

/** Runs what a request that is not a tool asks for; a failure becomes an error of the protocol. */
export async function explained<T>(log: Logger, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const { kind, message } = explain(error, log);
    const code = kind === 'unknown' ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
    throw new ProtocolError(code, message);
  }
}

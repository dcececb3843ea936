import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { ApiError } from '../kit/http/index.ts';
import { OutboundBlocked, OutboundTimeout, OutboundTooLarge } from '../kit/outbound/index.ts';
import { clean } from './clean-text.ts';

const MESSAGE_CHARACTERS_MAX = 500;

/** What a client and a model may read of a failure: no address, no header, nothing of a page that was answered. */
export function explain(error: unknown, id: string, timeoutMs: number): ApiError {
  const connector = `The connector '${id}'`;
  const late = new ApiError(504, `${connector} did not answer within ${timeoutMs / 1000} s.`, { cause: error });
  for (const cause of causesOf(error)) {
    if (cause instanceof ApiError) return cause;
    if (cause instanceof OutboundTimeout || isTimeout(cause)) return late;
    if (cause instanceof OutboundBlocked)
      return new ApiError(502, `${connector} is at an address that is not allowed.`, { cause: error });
    if (cause instanceof OutboundTooLarge)
      return new ApiError(502, `${connector} answered with more than this server takes.`, { cause: error });
    if (cause instanceof SdkHttpError)
      return new ApiError(502, `${connector} ${describeStatus(cause)}`, { cause: error });
    if (cause instanceof ProtocolError)
      return new ApiError(502, `${connector} answered with an error: ${cut(cause.message)}`, { cause: error });
  }
  return new ApiError(502, `${connector} could not be reached.`, { cause: error });
}

/** A tool that a connector has no more, or a session that it has forgotten. */
export function isGone(error: unknown): boolean {
  return causesOf(error).some((cause) => cause instanceof SdkHttpError && cause.status === 404);
}

function describeStatus({ status }: SdkHttpError): string {
  if (status === 401 || status === 403) return `refused our credentials (${status}).`;
  if (status !== undefined && status >= 300 && status < 400)
    return 'redirects to another address, which is not followed.';
  return status === undefined ? 'could not be reached.' : `answered ${status}.`;
}

function isTimeout(cause: unknown): boolean {
  if (cause instanceof SdkError) return cause.code === SdkErrorCode.RequestTimeout;
  return cause instanceof Error && cause.name === 'TimeoutError';
}

function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause !== undefined && causes.length < 8; cause = (cause as Error | null)?.cause)
    causes.push(cause);
  return causes;
}

function cut(text: string): string {
  return text.length > MESSAGE_CHARACTERS_MAX ? `${clean(text.slice(0, MESSAGE_CHARACTERS_MAX))}…` : clean(text);
}

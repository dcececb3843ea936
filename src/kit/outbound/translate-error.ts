import { errors } from 'undici';
import { OutboundError, OutboundFailed, requestTimedOut } from './errors.ts';

type Attempt = { host: string; timeoutMs: number; signal: AbortSignal };

/** Turns any failure of an attempt into an error that a caller can act on. */
export function translateError(error: unknown, { host, timeoutMs, signal }: Attempt): unknown {
  if (error instanceof OutboundError) return error;
  // Both the deadline and the caller abort through the signal; its reason tells which.
  if (signal.aborted) return signal.reason;
  if (error instanceof errors.ConnectTimeoutError) return requestTimedOut(host, timeoutMs, error);
  return new OutboundFailed(`The address ${host} could not be reached.`, { cause: error });
}

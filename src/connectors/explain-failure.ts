import type { SdkHttpError } from '@modelcontextprotocol/client';
import { ApiError } from '../kit/http/index.ts';
import { OutboundBlocked, OutboundTimeout, OutboundTooLarge } from '../kit/outbound/index.ts';
import { clean } from './clean-text.ts';
import { clientLibrary } from './client-library.ts';
import { connectorErrors } from './errors.ts';

const MESSAGE_CHARACTERS_MAX = 500;
/** Of the protocol. */
const UNSUPPORTED_VERSION = -32022;

/** A 401 of an HTTP API, which has not done anything then. */
export class TokenRefused extends Error {
  override name = 'TokenRefused';
}

/** A 404 to a message of a session, which the server then does not know. */
export class SessionGone extends Error {
  override name = 'SessionGone';
}

/** The program of a connector is gone. The message is for the operator. */
export class ProgramEnded extends Error {
  override name = 'ProgramEnded';
}

/** For the client and the model: without address, headers, or the body of a response. */
export function explainFailure(error: unknown, id: string, timeoutMs: number): ApiError {
  const connector = `The connector '${id}'`;
  const library = clientLibrary();
  const failed = (what: string) => connectorErrors.connector_failed(`${connector} ${what}`, { cause: error });
  for (const cause of causesOf(error)) {
    if (cause instanceof ApiError) return cause;
    if (cause instanceof OutboundTimeout || isTimeout(cause))
      return connectorErrors.connector_timeout(`${connector} did not answer within ${timeoutMs / 1000} s.`, {
        cause: error,
      });
    if (cause instanceof OutboundBlocked) return failed('is at an address that is not allowed.');
    if (cause instanceof OutboundTooLarge) return failed('answered with more than this server takes.');
    if (cause instanceof ProgramEnded) return failed('is a program that could not be started, or has ended.');
    if (cause instanceof TokenRefused) return failed('refused our credentials (401).');
    if (isStatus(cause)) return failed(describeStatus(cause));
    if (library && cause instanceof library.InsufficientScopeError)
      return failed('wants more rights than its sign-in has. Sign in again.');
    if (library && cause instanceof library.ProtocolError)
      return failed(`answered with an error: ${cut(cause.message)}`);
  }
  return failed('could not be reached.');
}

/** The server no longer knows the tool or the session. Some servers say so with a 400. */
export function isGone(error: unknown): boolean {
  return causesOf(error).some(
    (cause) =>
      cause instanceof SessionGone ||
      (isStatus(cause) && (cause.status === 404 || (cause.status === 400 && /session/i.test(cause.message)))),
  );
}

/** The server speaks only a newer generation of the protocol than it was asked in. */
export function isNewer(error: unknown): boolean {
  const library = clientLibrary();
  return causesOf(error).some(
    (cause) => library && cause instanceof library.ProtocolError && cause.code === UNSUPPORTED_VERSION,
  );
}

/** The server may know only the older transport: it takes no message at this address. */
export function mayBeOlder(error: unknown): boolean {
  return causesOf(error).some((cause) => isStatus(cause) && [400, 404, 405].includes(cause.status));
}

/** The server wants a token, or another one. */
export function isRefusal(error: unknown): boolean {
  return causesOf(error).some((cause) => cause instanceof TokenRefused || (isStatus(cause) && cause.status === 401));
}

/** The HTTP status of a server that refused our credentials. */
export function refusedStatus(error: unknown): number | undefined {
  if (isRefusal(error)) return 401;
  return causesOf(error).some((cause) => isStatus(cause) && cause.status === 403) ? 403 : undefined;
}

/** What a token must be allowed beyond what it is: the user has to sign in again for it. */
export function missingScope(error: unknown): string | undefined {
  const library = clientLibrary();
  const found = causesOf(error).find((cause) => library && cause instanceof library.InsufficientScopeError);
  return (found as { requiredScope?: string } | undefined)?.requiredScope;
}

function isStatus(cause: unknown): cause is SdkHttpError {
  const library = clientLibrary();
  return library !== undefined && cause instanceof library.SdkHttpError;
}

function describeStatus({ status }: SdkHttpError): string {
  if (status === 401 || status === 403) return `refused our credentials (${status}).`;
  if (status !== undefined && status >= 300 && status < 400)
    return 'redirects to another address, which is not followed.';
  return status === undefined ? 'could not be reached.' : `answered ${status}.`;
}

function isTimeout(cause: unknown): boolean {
  const library = clientLibrary();
  if (library && cause instanceof library.SdkError) return cause.code === library.SdkErrorCode.RequestTimeout;
  return cause instanceof Error && cause.name === 'TimeoutError';
}

/** Why a program ended, for the operator. */
export function reasonOfEnd(error: unknown): string | undefined {
  return causesOf(error).find((cause) => cause instanceof ProgramEnded)?.message;
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

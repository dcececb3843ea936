import type { IncomingMessage } from 'node:http';
import type { ApiError } from './errors.ts';
import { findDuplicateHeader } from './find-duplicate-header.ts';
import { requestErrors } from './request-errors.ts';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Guards against DNS rebinding. A server on loopback accepts loopback names and what the operator adds; a server on the
 * network accepts every name until the operator lists its own.
 */
export function createHostCheck(boundHost: string, allowed: string[]): (host: string | undefined) => boolean {
  const names = new Set(allowed.map((name) => name.toLowerCase()));
  const isLocal = LOOPBACK.test(boundHost) || boundHost === '::1';
  if (!isLocal && names.size === 0) return () => true;
  const check = (host = '') => {
    const name = host.toLowerCase().replace(/:\d+$/, '');
    return LOOPBACK.test(name) || name === boundHost.toLowerCase() || names.has(name);
  };
  // Nearly all requests name the same host.
  let last: string | undefined;
  let isLastAllowed = check(last);
  return (host) => {
    if (host === last) return isLastAllowed;
    [last, isLastAllowed] = [host, check(host)];
    return isLastAllowed;
  };
}

/** Two answers to "which host" or "which key" in one request: a proxy in front may have judged the other one. */
export function findMalformed({ rawHeaders, url = '', headers }: IncomingMessage): ApiError | undefined {
  const repeated = findDuplicateHeader(rawHeaders);
  if (repeated !== undefined) return requestErrors.header_repeated(repeated);
  if (url.startsWith('/') || url === '*') return undefined;
  const [target, given] = [url, `http://${headers.host}`].map((text) => (URL.canParse(text) ? new URL(text).host : ''));
  return target && target === given ? undefined : requestErrors.host_conflict();
}

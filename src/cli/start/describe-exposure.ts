import { isIPv6 } from 'node:net';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

/** What listening beyond this machine means, or nothing where only this machine can connect. */
export function describeExposure(host: string, port: string): string | undefined {
  if (LOOPBACK.test(host)) return undefined;
  const address = isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
  return `listening on ${address}: everyone who can reach this machine can talk to the API; keys are still required; put TLS in front of it, because keys travel in the clear otherwise`;
}

import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { addressBlocked } from './errors.ts';
import { bareHostname, type Target } from './parse-allow.ts';

/** Resolves a host name to its IP addresses. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

type Guard = { permits: (target: Target) => boolean; lookup: Lookup; timeoutMs: number };

/**
 * A connector for one origin. It checks the resolved address that the socket connects to, so DNS rebinding gains nothing.
 */
export function createGuardedConnector(origin: URL, { permits, lookup, timeoutMs }: Guard): buildConnector.connector {
  const hostname = bareHostname(origin);
  const port = Number(origin.port) || (origin.protocol === 'https:' ? 443 : 80);
  const isPermitted = (address: string) => permits({ hostname, address, port });

  const guardedLookup: LookupFunction = (name, options, callback) => {
    const resolve = async () => {
      const found = await lookup(name);
      const addresses = found.filter(isPermitted).map((address) => ({ address, family: isIP(address) }));
      const [first] = addresses;
      if (!first) throw addressBlocked(origin.host, new Error(`${name} resolved to ${found.join(', ') || 'nothing'}`));
      return { addresses, first };
    };
    resolve().then(
      ({ addresses, first }) => (options.all ? callback(null, addresses) : callback(null, first.address, first.family)),
      (error) => callback(error, []),
    );
  };

  const connectSocket = buildConnector({ allowH2: false, timeout: timeoutMs, lookup: guardedLookup });
  // Node never calls `lookup` for a host that is an address already.
  if (isIP(hostname) === 0 || isPermitted(hostname)) return connectSocket;
  return (_options, callback) => callback(addressBlocked(origin.host), null);
}

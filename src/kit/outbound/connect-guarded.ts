import { lookup as resolveHost } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { addressBlocked } from './errors.ts';
import { isPublicAddress } from './is-public-address.ts';
import { bareHostname, parseAllow, type Target } from './parse-allow.ts';

/** Resolves a host name to its IP addresses. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

type Guard = { permits: (target: Target) => boolean; lookup: Lookup; timeoutMs: number };

/**
 * A connector for one origin. It checks the resolved address that the socket connects to, so DNS rebinding gains nothing.
 */
export function createGuardedConnector(origin: URL, { permits, lookup, timeoutMs }: Guard): buildConnector.connector {
  const hostname = bareHostname(origin);
  const port = portOf(origin);
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

export async function lookupAll(hostname: string): Promise<string[]> {
  const answers = await resolveHost(hostname, { all: true });
  return answers.map(({ address }) => address);
}

/** The guard for clients with connections of their own: public addresses, and the operator's exceptions. */
export type AddressGuard = {
  connectorOf(origin: string, timeoutMs: number): buildConnector.connector;
  /** Whether the name resolves to an address that may be reached. */
  permits(url: URL): Promise<boolean>;
};

export function createAddressGuard(allow: readonly string[], lookup: Lookup = lookupAll): AddressGuard {
  const isAllowed = parseAllow(allow);
  const permits = (target: Target) => isPublicAddress(target.address) || isAllowed(target);
  return {
    connectorOf: (origin, timeoutMs) => createGuardedConnector(new URL(origin), { permits, lookup, timeoutMs }),
    async permits(url) {
      const hostname = bareHostname(url);
      const port = portOf(url);
      const addresses = isIP(hostname) === 0 ? await lookup(hostname).catch(() => []) : [hostname];
      return addresses.some((address) => permits({ hostname, address, port }));
    },
  };
}

function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

import { BlockList, isIP, isIPv6 } from 'node:net';

export type Target = {
  /** The host as the URL spells it, without brackets. */
  hostname: string;
  /** The address the socket is about to connect to. */
  address: string;
  port: number;
};

type Rule = (target: Target) => boolean;

/** Turns the operator's exceptions into one check. A bad entry throws at start, not at the first request. */
export function parseAllow(entries: readonly string[]): Rule {
  const rules = entries.map(parseEntry);
  return (target) => rules.some((rule) => rule(target));
}

function parseEntry(entry: string): Rule {
  return entry.includes('/') ? parseRange(entry) : parseHost(entry);
}

function parseRange(entry: string): Rule {
  const [, network = '', prefix = ''] = /^([^/]+)\/(\d{1,3})$/.exec(entry) ?? [];
  const family = isIP(network);
  if (family === 0 || Number(prefix) > (family === 4 ? 32 : 128)) throw invalidEntry(entry);
  const range = new BlockList();
  range.addSubnet(network, Number(prefix), family === 4 ? 'ipv4' : 'ipv6');
  return ({ address }) => contains(range, address);
}

function parseHost(entry: string): Rule {
  const authority = isIPv6(entry) ? `[${entry}]` : entry;
  // URL normalises the host as in a request: lower case, punycode, canonical addresses.
  const url = /[*]|:$/.test(authority) ? null : URL.parse(`http://${authority}`);
  if (!url || url.href !== `http://${url.host}/`) throw invalidEntry(entry);
  // URL drops a default port, but `host:80` must not open port 8080.
  const [, port] = /:(\d+)$/.exec(authority) ?? [];
  const samePort: Rule = (target) => port === undefined || target.port === Number(port);

  const hostname = bareHostname(url);
  const family = isIP(hostname);
  if (family === 0) return (target) => samePort(target) && withoutRootDot(target.hostname) === withoutRootDot(hostname);
  const single = new BlockList();
  single.addAddress(hostname, family === 4 ? 'ipv4' : 'ipv6');
  return (target) => samePort(target) && contains(single, target.address);
}

/** The host of a URL as the connector and the DNS know it: an IPv6 literal loses its brackets. */
export function bareHostname(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

function withoutRootDot(hostname: string): string {
  return hostname.replace(/\.$/, '');
}

function contains(list: BlockList, address: string): boolean {
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

function invalidEntry(entry: string): Error {
  return new Error(`outbound.allow: "${entry}" is not a host, host:port, IP address or CIDR range.`);
}

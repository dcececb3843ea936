import { isIPv6 } from 'node:net';

/** The /64 block of an IPv6 address, since one client usually has a whole block; other addresses as they are. */
export function networkOf(address: string): string {
  return blockOf(address, 4) ?? address.replace(/^::ffff:/i, '');
}

/** The /48 block of an IPv6 address, which a single customer may have; undefined for others. */
export function wideNetworkOf(address: string): string | undefined {
  return blockOf(address, 3);
}

function blockOf(address: string, count: 3 | 4): string | undefined {
  if (!isIPv6(address) || /^::ffff:[\d.]+$/i.test(address)) return undefined;
  const [before = '', after] = address.toLowerCase().split('::', 2);
  const head = before.split(':').filter(Boolean);
  const tail = (after ?? '').split(':').filter(Boolean);
  const zeros = after === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array<string>(Math.max(0, zeros)).fill('0'), ...tail];
  return `${groups.slice(0, count).join(':')}::/${count * 16}`;
}

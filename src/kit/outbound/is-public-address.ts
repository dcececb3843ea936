import { BlockList, isIP } from 'node:net';

// From the IANA special-purpose registries; everything that is not globally reachable, plus two public-looking traps.
const NON_PUBLIC_IPV4 = [
  ['0.0.0.0', 8], // this host, this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT; holds Alibaba's metadata address 100.100.100.200
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's host agent: a public number that answers only inside the cloud
  ['169.254.0.0', 16], // link-local; holds the metadata address of most clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments; holds Oracle's metadata address
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relay anycast
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
] as const;

// IPv6 is judged the other way round: only global unicast is public, so loopback, unspecified, IPv4-compatible,
// unique local, link-local, site-local, multicast and every range not yet given out fall away by themselves.
const ROUTABLE_IPV6 = [
  ['2000::', 3], // global unicast
  ['::ffff:0:0', 96], // IPv4-mapped: judged by the IPv4 address inside
  ['64:ff9b::', 96], // NAT64: judged by the IPv4 address inside, so that networks with DNS64 still work
] as const;

const NON_PUBLIC_IPV6 = [
  ['2001::', 23], // protocol assignments: Teredo, benchmarks, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, a tunnel to any IPv4 address
  ['3fff::', 20], // documentation
] as const;

const routable = new BlockList();
for (const [network, prefix] of ROUTABLE_IPV6) routable.addSubnet(network, prefix, 'ipv6');

const nonPublic = new BlockList();
for (const [network, prefix] of NON_PUBLIC_IPV6) nonPublic.addSubnet(network, prefix, 'ipv6');
for (const [network, prefix] of NON_PUBLIC_IPV4) {
  // BlockList applies an IPv4 rule to IPv4-mapped addresses too, but knows nothing of NAT64.
  nonPublic.addSubnet(network, prefix, 'ipv4');
  nonPublic.addSubnet(`64:ff9b::${network}`, 96 + prefix, 'ipv6');
}

/** True only for an address that any machine on the internet could reach as well; false for what is not an IP address. */
export function isPublicAddress(address: string): boolean {
  // A zone (`fe80::1%eth0`) only means something on a local link.
  if (address.includes('%')) return false;
  switch (isIP(address)) {
    case 4:
      return !nonPublic.check(address, 'ipv4');
    case 6:
      return routable.check(address, 'ipv6') && !nonPublic.check(address, 'ipv6');
    default:
      return false;
  }
}

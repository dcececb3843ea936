/** Forbidden hosts, in every spelling that some program reads as an address. */
const HOSTS: Record<string, string> = {
  loopback: '127.0.0.1',
  'loopback, short': '127.1',
  'loopback in decimal': '2130706433',
  'loopback in hex': '0x7f000001',
  'loopback in hex, by parts': '0x7f.0x0.0x0.0x1',
  'loopback in octal': '0177.0.0.1',
  'loopback in octal, whole': '017700000001',
  'loopback with a last dot': '127.0.0.1.',
  'loopback in wide digits': '１２７.０.０.１',
  'loopback with ideographic dots': '127。0。0。1',
  'another loopback': '127.255.255.254',
  'loopback by name': 'localhost',
  'loopback by name, with a last dot': 'LOCALHOST.',
  'a name below localhost': 'app.localhost',
  'this host': '0.0.0.0',
  'this host, short': '0',
  'private, 10/8': '10.0.0.1',
  'private, 172.16/12': '172.16.0.1',
  'private, 192.168/16': '192.168.0.1',
  'carrier-grade NAT': '100.64.0.1',
  'link-local': '169.254.0.1',
  metadata: '169.254.169.254',
  'metadata in decimal': '2852039166',
  'metadata of another cloud': '100.100.100.200',
  'metadata of a third': '192.0.0.192',
  'the host agent of a cloud': '168.63.129.16',
  multicast: '224.0.0.1',
  broadcast: '255.255.255.255',
  'metadata over IPv6': '[fd00:ec2::254]',
  'loopback over IPv6': '[::1]',
  'unspecified over IPv6': '[::]',
  'link-local over IPv6': '[fe80::1]',
  'unique local over IPv6': '[fc00::1]',
  'multicast over IPv6': '[ff02::1]',
  'loopback, mapped into IPv6': '[::ffff:127.0.0.1]',
  'loopback, mapped, in hex': '[::ffff:7f00:1]',
  'loopback, compatible with IPv6': '[::127.0.0.1]',
  'loopback through NAT64': '[64:ff9b::127.0.0.1]',
  'loopback through 6to4': '[2002:7f00:1::]',
  'metadata, mapped into IPv6': '[::ffff:169.254.169.254]',
};

/** Addresses that look like others, where `PORT` is the port of the victim server. */
const TRICKS: Record<string, string> = {
  'a name before the at sign': 'http://example.com@127.0.0.1:PORT/',
  'a name and a password before it': 'http://example.com:80@127.0.0.1:PORT/',
  'a name behind the hash': 'http://127.0.0.1:PORT#@example.com/',
  'backslashes for slashes': 'http:\\\\127.0.0.1:PORT\\',
  'no slashes': 'http:127.0.0.1:PORT/',
  'an encoded host': 'http://%31%32%37.0.0.1:PORT/',
  'a file': 'file:///etc/passwd',
  'the file of a host': 'file://127.0.0.1/etc/passwd',
  ftp: 'ftp://127.0.0.1:PORT/',
  gopher: 'gopher://127.0.0.1:PORT/_GET%20/',
  dict: 'dict://127.0.0.1:PORT/info',
  'a socket': 'ws://127.0.0.1:PORT/',
  'an archive': 'jar:http://127.0.0.1:PORT/!/',
  blob: 'blob:http://127.0.0.1:PORT/',
};

export type Forbidden = { what: string; address: string };

export function forbiddenAddresses(port: number): Forbidden[] {
  return [
    ...Object.entries(HOSTS).map(([what, host]) => ({ what, address: `http://${host}:${port}/a.png` })),
    ...Object.entries(TRICKS).map(([what, text]) => ({ what, address: text.replaceAll('PORT', String(port)) })),
  ];
}

/** Addresses that a name may resolve to, for the guard itself. */
export const RESOLVED = [
  '127.0.0.1',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '224.0.0.1',
  '::1',
  '::',
  'fe80::1',
  'fc00::1',
  'ff02::1',
  '::ffff:127.0.0.1',
  '64:ff9b::7f00:1',
];

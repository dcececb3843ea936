import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import { isPublicAddress } from './is-public-address.ts';

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '93.184.216.34',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '168.63.129.15',
  '168.63.129.17',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.0.3.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2001:4860:4860::8888',
  '2001:200::',
  '2003::1',
  '2a00:1450:4001:81b::200e',
  '3ffe:ffff::1',
  '3fff:1000::',
  '::ffff:8.8.8.8',
  '::ffff:808:808',
  '64:ff9b::8.8.8.8',
  '64:ff9b::808:808',
];

const NON_PUBLIC = {
  unspecified: ['0.0.0.0', '0.0.0.1', '0.255.255.255', '::', '0:0:0:0:0:0:0:0', '::0.0.0.0'],
  loopback: ['127.0.0.1', '127.0.0.0', '127.1.2.3', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1', '0000::0001'],
  private: ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
  'carrier-grade NAT': ['100.64.0.0', '100.127.255.255'],
  'link-local': ['169.254.0.0', '169.254.255.255', 'fe80::', 'fe80::1', 'febf:ffff::1', 'FE80::1'],
  'site-local': ['fec0::', 'fec0::1', 'feff:ffff::'],
  'unique local': ['fc00::', 'fc00::1', 'fd00::1', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  multicast: ['224.0.0.0', '224.0.0.1', '239.255.255.255', 'ff00::', 'ff02::1', 'ff0e::1'],
  reserved: ['240.0.0.0', '250.1.2.3', '255.255.255.254', '192.0.0.0', '192.0.0.255', '192.88.99.1'],
  'reserved IPv6': ['100::', '200::1', '400::1', '1fff::1', '4000::1', '5f00::1', '8000::1', 'e000::1', 'fe00::1'],
  broadcast: ['255.255.255.255'],
  benchmarks: ['198.18.0.0', '198.19.255.255', '2001:2::1'],
  documentation: [
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.255',
    '2001:db8::',
    '2001:db8:ffff::1',
    '3fff::',
    '3fff:fff::',
  ],
  'protocol assignments': ['2001:1::1', '2001:10::1', '2001:20::1', '2001:1ff:ffff::'],
  'cloud metadata': [
    '169.254.169.254',
    '169.254.170.2',
    '169.254.0.23',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    'fd00:ec2::254',
    'fd20:ce::254',
  ],
  'IPv4-mapped': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:7f00:1',
    '::FFFF:10.0.0.1',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::ffff:0.0.0.0',
    '::ffff:255.255.255.255',
  ],
  'IPv4-compatible, whatever is inside': ['::127.0.0.1', '::7f00:1', '::8.8.8.8', '::808:808'],
  'IPv4-translated': ['::ffff:0:127.0.0.1', '::ffff:0:808:808'],
  'NAT64 to a private address': [
    '64:ff9b::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::',
    '64:ff9b::1',
  ],
  'NAT64 with a local prefix': ['64:ff9b:1::', '64:ff9b:1::808:808', '64:ff9b:1:ffff::7f00:1'],
  '6to4, whatever is inside': ['2002::', '2002:7f00:1::', '2002:a9fe:a9fe::1', '2002:808:808::1'],
  'Teredo, whatever is inside': ['2001::', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:0:ffff:ffff::'],
  'an address with a zone': ['fe80::1%eth0', 'fe80::1%1', '2606:4700:4700::1111%eth0'],
  'what is not an address': [
    '',
    ' ',
    'localhost',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '010.0.0.1',
    '[::1]',
    '1.1.1.1.',
    '1.1.1.1 ',
  ],
};

test.each(PUBLIC)('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

describe.each(Object.entries(NON_PUBLIC))('%s is not public', (_kind, addresses) => {
  test.each(addresses)('%s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

test('an IPv4 address is judged the same in its own, its mapped and its NAT64 spelling', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const verdict = isPublicAddress(address);
      expect(isPublicAddress(`::ffff:${address}`)).toBe(verdict);
      expect(isPublicAddress(`64:ff9b::${address}`)).toBe(verdict);
      expect(isPublicAddress(`::${address}`)).toBe(false);
    }),
    { numRuns: rounds(200, 2_000) },
  );
});

test('outside global unicast only IPv4-mapped and NAT64 addresses can be public', () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      if (!isPublicAddress(address)) return;
      expect(new URL(`http://[${address}]`).hostname).toMatch(/^\[([23][0-9a-f]{3}:|::ffff:|64:ff9b::)/);
    }),
    { numRuns: rounds(200, 2_000) },
  );
});

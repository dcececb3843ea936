import { describe, expect, test } from 'vitest';
import { parseAllow } from './parse-allow.ts';

const intranet = { hostname: 'wiki.corp', address: '10.1.2.3', port: 443 };

describe('an entry opens exactly what it names', () => {
  test.each([
    ['wiki.corp', intranet],
    ['WIKI.Corp', intranet],
    ['wiki.corp.', intranet],
    ['wiki.corp', { ...intranet, hostname: 'wiki.corp.' }],
    ['wiki.corp:443', intranet],
    ['wiki.corp:80', { ...intranet, port: 80 }],
    ['münchen.corp', { ...intranet, hostname: 'xn--mnchen-3ya.corp' }],
    ['10.1.2.3', intranet],
    ['10.1.2.3:443', intranet],
    ['10.1.2.3', { ...intranet, address: '::ffff:10.1.2.3' }],
    ['10.0.0.0/8', intranet],
    ['10.1.2.3/32', intranet],
    ['::1', { ...intranet, address: '::1' }],
    ['[::1]', { ...intranet, address: '::1' }],
    ['[::1]:443', { ...intranet, address: '::1' }],
    ['fd00::/8', { ...intranet, address: 'fd12::1' }],
  ])('%s opens %j', (entry, target) => {
    expect(parseAllow(['unrelated.corp', entry])(target)).toBe(true);
  });

  test.each([
    ['wiki.corp:80', intranet],
    ['wiki.corp:8443', intranet],
    ['corp', intranet],
    ['wiki.corp', { ...intranet, hostname: 'evil.wiki.corp' }],
    ['wiki.corp', { ...intranet, hostname: 'wiki.corp.evil.com' }],
    ['10.1.2.4', intranet],
    ['10.1.2.3:80', intranet],
    ['10.2.0.0/16', intranet],
    ['::1', { ...intranet, address: '::2' }],
    ['[::1]:80', { ...intranet, address: '::1' }],
    ['fd00::/8', intranet],
    ['localhost', { ...intranet, address: '127.0.0.1' }],
  ])('%s does not open %j', (entry, target) => {
    expect(parseAllow([entry])(target)).toBe(false);
  });

  test('an empty list opens nothing', () => {
    expect(parseAllow([])(intranet)).toBe(false);
  });
});

test.each([
  '',
  ' ',
  '*',
  '*.corp',
  'http://wiki.corp',
  'wiki.corp/path',
  'user@wiki.corp',
  'wiki.corp?x',
  'wiki.corp#x',
  'wiki.corp:99999',
  'wiki.corp:',
  '10.0.0.0/33',
  '10.0.0.0/',
  'fd00::/129',
  'wiki.corp/8',
  'fe80::1%eth0',
])('the entry "%s" is refused at start', (entry) => {
  expect(() => parseAllow([entry])).toThrow(`outbound.allow: "${entry}" is not a host`);
});

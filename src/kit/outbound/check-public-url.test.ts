import { expect, test } from 'vitest';
import { createPublicUrlCheck } from './index.ts';

const judge = (url: string, ...allow: string[]) => createPublicUrlCheck(allow)(new URL(url));

test.each(['https://example.com/a.png', 'http://8.8.8.8/', 'http://[2606:4700:4700::1111]/', 'https://a.b.example./'])(
  '%s may be public',
  (url) => expect(judge(url)).toBe(true),
);

test.each([
  'http://127.0.0.1/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0177.0.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[::1]/',
  'http://[::ffff:10.0.0.1]/',
  'http://[fd00:ec2::254]/',
  'http://[64:ff9b::7f00:1]/',
  'http://localhost/',
  'http://LOCALHOST./',
  'http://a.localhost/',
  'http://redis:6379/',
  'http://metadata.google.internal/',
  'http://printer.local/',
])('%s is not public by its text', (url) => expect(judge(url)).toBe(false));

test('the operator may open a host, a port of it, an address or a range', () => {
  expect(judge('http://minio:9000/a', 'minio:9000')).toBe(true);
  expect(judge('http://minio:9001/a', 'minio:9000')).toBe(false);
  expect(judge('http://10.1.2.3/a', '10.1.0.0/16')).toBe(true);
  expect(judge('http://10.2.2.3/a', '10.1.0.0/16')).toBe(false);
  // A range opens addresses, not names that might resolve to them.
  expect(judge('http://redis/', '10.1.0.0/16')).toBe(false);
});

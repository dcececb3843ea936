/** A JSON document that every operation must handle safely. */
export type HostileJson = { name: string; bytes: Buffer };

const LEVELS = 100_000;
const KEYS = 1_000_000;

export function hostileJson(): HostileJson[] {
  const text = (name: string, document: string) => ({ name, bytes: Buffer.from(document) });
  return [
    text('100,000 lists in each other', '['.repeat(LEVELS) + ']'.repeat(LEVELS)),
    text('100,000 objects in each other', `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`),
    text('100,000 opened lists', '['.repeat(LEVELS)),
    text('a million keys', `{${Array.from({ length: KEYS }, (_, i) => `"${i.toString(36)}":0`).join()}}`),
    text('19,999 unknown keys', `{${Array.from({ length: 19_999 }, (_, i) => `"${i.toString(36)}":0`).join()}}`),
    text('five million values', `{"x":[${'0,'.repeat(4_999_999)}0]}`),
    text('499,000 values', `{"x":[${'0,'.repeat(499_000)}0]}`),
    text('a key twice', '{"model":"a","model":"b"}'),
    text('a key twice, one of them escaped', '{"model":"a","mode\\u006c":"b"}'),
    text('__proto__', '{"__proto__":{"isAdmin":true}}'),
    text('constructor', '{"constructor":{"prototype":{"isAdmin":true}}}'),
    text('NaN', '{"x":NaN}'),
    text('Infinity', '{"x":-Infinity}'),
    text('1e400', '{"x":1e400}'),
    text('an integer of 400 digits', `{"x":${'9'.repeat(400)}}`),
    text('an integer of a megabyte', `{"x":${'9'.repeat(1_000_000)}}`),
    text('a lone surrogate', '{"x":"\\ud800"}'),
    text('a lone surrogate as a key', '{"\\udfff":1}'),
    text('NUL in a string', '{"x":"\\u0000"}'),
    text('a raw NUL', '{"x":"\u0000"}'),
    text('a list', '[]'),
    text('a string', '"x"'),
    text('a number', '7'),
    text('null', 'null'),
    text('nothing but spaces', ' '.repeat(1_000_000)),
    text('a string without an end', `{"x":"${'\\"'.repeat(500_000)}`),
    { name: 'UTF-8 that is none', bytes: Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]) },
    { name: 'UTF-16', bytes: Buffer.from('\ufeff{"x":1}', 'utf16le') },
    { name: 'a byte order mark', bytes: Buffer.from('\ufeff{"x":1}') },
  ];
}

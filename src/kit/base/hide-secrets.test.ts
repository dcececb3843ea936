import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecretHider } from './hide-secrets.ts';

const SECRET = 'sk-canary "0123" \\ 456789';

describe('a known secret', () => {
  const hide = createSecretHider([SECRET]);

  it('is hidden as it is, in JSON, in an address, in hexadecimal and in base64', () => {
    for (const text of [
      `You sent ${SECRET}.`,
      JSON.stringify({ key: SECRET }),
      `https://a.test/?key=${encodeURIComponent(SECRET)}`,
      Buffer.from(SECRET).toString('hex'),
    ])
      expect(hide.text(text)).not.toMatch(/canary|63616e617279/);
  });

  it('is hidden in base64 whatever stands before and behind it', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 9 }), fc.string({ maxLength: 9 }), (before, behind) => {
        const encoded = Buffer.from(`${before}${SECRET}${behind}`).toString('base64');
        const left = Buffer.from(hide.text(encoded).replaceAll('[redacted]', '.'), 'base64').toString();
        expect(left).not.toContain('canary');
      }),
    );
  });

  it('is hidden within values, and what is no secret stays as it is', () => {
    const bytes = { list: [`a ${SECRET}`, 1, null, true], text: 'as it is' };
    expect(hide.value(bytes)).toEqual({ list: ['a [redacted]', 1, null, true], text: 'as it is' });
  });

  it('is hidden in an error and its causes, which stay what they are', () => {
    const error = new TypeError(`no ${SECRET}`, { cause: new RangeError(`because of ${SECRET}`) });
    const hidden = hide.error(error) as Error;
    expect(hidden).toBe(error);
    expect(`${hidden.message} ${hidden.stack} ${(hidden.cause as Error).stack}`).not.toContain('canary');
    expect(hide.error('a text')).toBe('a text');
  });

  it('that is too short to be told from a word is left alone', () => {
    expect(createSecretHider(['blue']).text('a blue bird')).toBe('a blue bird');
  });
});

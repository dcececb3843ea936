import { describe, expect, it } from 'vitest';
import { isSigned, signDownload } from './sign-url.ts';

const ID = '01980000-0000-7000-8000-000000000000';
const NOW_MS = 1_800_000_000_000;
const EXPIRES = NOW_MS / 1000 + 60;

describe('a signature', () => {
  it('opens its file until it expires', () => {
    const signed = signDownload('secret', ID, EXPIRES);
    expect(isSigned('secret', ID, signed, NOW_MS)).toBe(true);
    expect(isSigned('secret', ID, signed, NOW_MS + 61_000)).toBe(false);
    expect(isSigned('another', ID, signed, NOW_MS)).toBe(false);
  });

  it('is made for a file that is not there as well, so that the time of a refusal tells nothing, and is never right', () => {
    for (const signature of ['', 'A'.repeat(43), signDownload('secret', ID, EXPIRES).signature])
      expect(isSigned(undefined, ID, { expires: EXPIRES, signature }, NOW_MS)).toBe(false);
  });
});

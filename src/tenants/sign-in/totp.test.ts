import { expect, it } from 'vitest';
import { findStep, makeTotpSecret, stepAt, toBase32, totpAddress, totpAt } from './totp.ts';

/** The secret of RFC 6238, appendix B; its codes have eight digits, of which apps show the last six. */
const SECRET = toBase32(Buffer.from('12345678901234567890'));

it.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('makes the code of RFC 6238 at %d s', (seconds, code) => {
  expect(totpAt(SECRET, stepAt(seconds * 1000))).toBe(code);
});

it('accepts the code of the step before and after, and none twice', () => {
  const now = 1_700_000_000_000;
  const step = stepAt(now);
  for (const near of [-1, 0, 1]) expect(findStep(SECRET, totpAt(SECRET, step + near), now, 0)).toBe(step + near);
  for (const far of [-2, 2]) expect(findStep(SECRET, totpAt(SECRET, step + far), now, 0)).toBeUndefined();
  expect(findStep(SECRET, totpAt(SECRET, step), now, step)).toBeUndefined();
  for (const bad of ['', '12345', '1234567', 'abcdef', '１２３４５６'])
    expect(findStep(SECRET, bad, now, 0)).toBeUndefined();
});

it('gives secrets of 160 bits that apps can read', () => {
  expect(makeTotpSecret()).toMatch(/^[A-Z2-7]{32}$/);
  expect(totpAddress('ABC', 'ann@example.com')).toBe(
    'otpauth://totp/Tramontane%3Aann%40example.com?secret=ABC&issuer=Tramontane&digits=6&period=30',
  );
});

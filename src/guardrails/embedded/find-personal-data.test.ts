import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countCpuMs } from '../../../test/support/cpu-time.ts';
import { rounds } from '../../../test/support/rounds.ts';
import { hasPersonalData } from './find-personal-data.ts';

it.each([
  'write to ann.b+news@mail.example.org please',
  'my card is 4111 1111 1111 1111',
  'card 5555-5555-5555-4444, thanks',
  'amex 378282246310005',
  'DE89 3704 0044 0532 0130 00',
  'pay to FR1420041010050500013M02606.',
  'call +44 20 7946 0958',
  'call +1 (212) 555-0187',
  'ring (212) 555-0187 after six',
  'mobile 07700 900123',
  'Handy 0171 5550123',
  'my number is 078-05-1120',
])('%j holds personal data', (text) => {
  expect(hasPersonalData(text)).toBe(true);
});

it.each([
  'a card number that does not add up: 4111 1111 1111 1112',
  'order 1234567890123456',
  'DE89 3704 0044 0532 0130 01 is a mistyped account',
  'ISBN 978-3-16-148410-0',
  'version 10.4.2 of 2026-01-15',
  'the population was 8,123,456 in 2020',
  'mail me @home or at user@localhost',
  'the ratio is 1:1000000000',
  '+5 points for you',
  'ranges 000-12-3456 and 123-00-4567 are not issued',
  'the uuid 7c9e6679-7425-40de-944b-e07fc1f90ae7',
  'const x = 0x1234567890abcdef;',
  'it took 1700000000000 ms',
])('%j holds none', (text) => {
  expect(hasPersonalData(text)).toBe(false);
});

// A pattern that tries every way to split a text would take minutes for these.
it('takes no longer for a hostile text than its length allows', () => {
  const pieces = fc.constantFrom('1', '1 ', '+1', '+1 1', 'a@', 'a.', '(', ')', 'AA11 ', 'A1', '0', '-', '4111 ');
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 1, maxLength: 4 }), (unit) => {
      const text = unit.join('').repeat(20_000);
      const cpuMs = countCpuMs();
      hasPersonalData(text);
      expect(cpuMs()).toBeLessThan(2000);
    }),
    { numRuns: rounds(20, 60) },
  );
});

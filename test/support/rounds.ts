/** True in `npm run test:full`, which also runs what is slow and seldom breaks. */
export const isFull = process.env.TRAMONTANE_TEST_FULL === '1';

/**
 * How often a campaign repeats: a short form in every test run, the full one with `npm run test:full`. The short form
 * proves the same with a lower probability.
 */
export function rounds(short: number, full: number): number {
  return isFull ? full : short;
}

/** True in `npm run test:full`, which also runs what is slow and seldom breaks. */
export const isFull = process.env.TRAMONTANE_TEST_FULL === '1';

/**
 * What is different in the full run: how often a campaign repeats, which of many cases are tried, how large a world is.
 * The short form is in every run and proves the same, with a lower probability or of fewer cases.
 */
export function rounds<T>(short: T, full: T): T {
  return isFull ? full : short;
}

/**
 * What the official suite finds missing in the real tool server, each with its reason. A scenario that fails without
 * standing here fails the test, and so does one that stands here and passes.
 */
export const expectedFailures: Record<string, Record<string, string>> = {
  '2025-11-25': {},
  '2026-07-28': {},
};

import { afterAll } from 'vitest';

const cleanups: (() => unknown)[] = [];

/** Runs after all tests of the file, the youngest first: what was built on something goes before it. */
export function atEnd(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

// Registered when the file loads: hooks that are added while others run are not reliably called.
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

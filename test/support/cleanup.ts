const cleanups: (() => unknown)[] = [];

/** Runs after all tests of the file, newest first: dependents are removed before what they depend on. */
export function atEnd(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

/** Called by `each-file.ts` after the last test of every file. */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

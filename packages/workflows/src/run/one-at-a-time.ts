let last: Promise<unknown> = Promise.resolve();

/**
 * Workflow code of different runs never interleaves: so what blocks can be told from what was held up by it, and the
 * time that a piece of work takes is its own.
 */
export function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const result = last.then(work);
  last = result.catch(() => undefined);
  return result;
}

let last: Promise<unknown> = Promise.resolve();

/** Code of different runs never interleaves, so that the time of a turn is its own. */
export function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const result = last.then(work);
  last = result.catch(() => undefined);
  return result;
}

/** Makes the next item while the last one is being used, and no further. */
export async function* oneAhead<T>(source: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  const pull = () => {
    const next = source.next();
    // Its failure is thrown when its turn comes; until then nobody has missed it.
    next.catch(() => undefined);
    return next;
  };
  for (let next = pull(); ; ) {
    const { done, value } = await next;
    if (done) return;
    next = pull();
    yield value;
  }
}

/** Requests the next item while the current one is being used, and no further. */
export async function* prefetchNext<T>(source: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  const pull = () => {
    const next = source.next();
    // A failure is thrown when its turn comes; until then it must not count as unhandled.
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

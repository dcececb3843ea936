/** Resolves when all code waits for something external: a tick queued by a microtask runs after all microtasks. */
export function drained(): Promise<void> {
  return new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));
}

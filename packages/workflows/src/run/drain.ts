/**
 * Resolves when all code that can run has run, up to where it waits for something outside. A tick that is asked for
 * by a microtask runs once the queue of microtasks is empty.
 */
export function drained(): Promise<void> {
  return new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));
}

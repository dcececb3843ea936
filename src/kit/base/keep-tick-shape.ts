import { executionAsyncResource } from 'node:async_hooks';

/**
 * Keeps one of the objects in which Node remembers what `process.nextTick` shall call. V8 forgets the shape of such objects
 * when it collects all garbage while none is waiting, as it does when a process has rested for eight seconds. Node's
 * function then makes them the slow way until the process ends: a tick takes 0.9 µs instead of 0.1, and a warm request a
 * quarter more CPU time (decision 0185).
 */
export function keepTickShape(): void {
  // On the global object, because a bundler leaves out a variable that nobody reads.
  process.nextTick(() => Reflect.set(globalThis, Symbol('kept tick'), executionAsyncResource()));
}

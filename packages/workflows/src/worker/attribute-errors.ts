import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers';
import { type Owner, where } from '../run/scope.ts';

/** The attempt whose code runs; undefined outside of steps. */
export const stepCode = new AsyncLocalStorage<Owner>();

type FindOwner = () => Owner | undefined;

const findOwner: FindOwner = () => where.getStore() ?? stepCode.getStore();

const KEY = Symbol.for('tramontane.workflows.owners');

/**
 * Gives a rejected promise that nothing handles, and an error that a callback throws, to the run or step whose code left
 * it. All others end the process as Node does, unless the program listens for them. Other copies of this package in the
 * process use the same listeners.
 */
export function attributeErrors(): void {
  const holder = globalThis as { [KEY]?: Set<FindOwner> };
  if (holder[KEY]) return void holder[KEY].add(findOwner);
  const finders = new Set([findOwner]);
  holder[KEY] = finders;
  // The events come in the context of the code that failed, where timers throw.
  const outside = AsyncLocalStorage.snapshot();

  function attribute(error: unknown): boolean {
    for (const find of finders) {
      const owner = find();
      if (!owner) continue;
      outside(() => owner.onStray(error));
      return true;
    }
    return false;
  }

  const onRejection = (reason: unknown) => {
    if (attribute(reason) || process.listenerCount('unhandledRejection') > 1) return;
    // Rejects it again without this listener: Node then does what it does for a program that has none.
    setImmediate(() => {
      process.off('unhandledRejection', onRejection);
      void Promise.reject(reason);
    });
    setImmediate(() => process.on('unhandledRejection', onRejection));
  };
  process.on('unhandledRejection', onRejection);

  // A permanent listener for exceptions would keep the process alive after those of others.
  process.on('uncaughtExceptionMonitor', (error) => {
    if (!attribute(error)) return;
    const handle = () => undefined;
    process.once('uncaughtException', handle);
    setImmediate(() => process.off('uncaughtException', handle));
  });
}

import { NotDeterministic } from '../errors.ts';
import { where } from '../run/scope.ts';

let isGuarded = false;

/**
 * Inside workflow code, `Date` and `Math.random` are those of `ctx`, and functions that cannot be replayed throw. Steps
 * and all other code see the real ones.
 */
export function guardGlobals(): void {
  if (isGuarded) return;
  isGuarded = true;
  const RealDate = Date;
  const realNow = Date.now;
  const GuardedDate = new Proxy(RealDate, {
    construct(target, args, newTarget) {
      const here = args.length === 0 ? where.getStore() : undefined;
      return Reflect.construct(target, here ? [here.globals.now()] : args, newTarget);
    },
    apply: (target, self, args) => {
      const here = where.getStore();
      return here ? new RealDate(here.globals.now()).toString() : Reflect.apply(target, self, args);
    },
  });
  RealDate.now = () => where.getStore()?.globals.now() ?? realNow();
  RealDate.prototype.constructor = GuardedDate;
  globalThis.Date = GuardedDate;

  const realRandom = Math.random;
  Math.random = () => where.getStore()?.globals.random() ?? realRandom();

  const realUuid = crypto.randomUUID.bind(crypto);
  crypto.randomUUID = (() => where.getStore()?.globals.uuid() ?? realUuid()) as typeof crypto.randomUUID;

  refuse('setTimeout', 'ctx.sleep');
  refuse('setInterval', 'ctx.sleep');
  refuse('setImmediate', 'ctx.sleep');
  refuse('fetch', 'a step');
}

function refuse(name: 'setTimeout' | 'setInterval' | 'setImmediate' | 'fetch', instead: string): void {
  const real = globalThis[name] as (...args: unknown[]) => unknown;
  const guarded = (...args: unknown[]) => {
    if (where.getStore()) throw new NotDeterministic(`Workflow code may not call ${name}: use ${instead} instead.`);
    return real(...args);
  };
  // util.promisify reads the promise versions of timers here.
  Object.defineProperties(guarded, Object.getOwnPropertyDescriptors(real));
  (globalThis as Record<string, unknown>)[name] = guarded;
}

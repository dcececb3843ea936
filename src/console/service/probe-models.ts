import type { Clock } from '../../kit/base/clock.ts';
import type { Engine } from '../../models/index.ts';

/** Pages ask every few seconds, and several people at once. */
const FRESH_MS = 10_000;

/** Whether the server behind an engine answers; true for engines without one. Asked at most every few seconds. */
export function createModelProbes(now: Clock): (engine: Engine) => Promise<boolean> {
  const known = new WeakMap<Engine, { at: number; isThere: Promise<boolean> }>();
  return (engine) => {
    if (!engine.probe) return Promise.resolve(true);
    const recent = known.get(engine);
    if (recent && now() - recent.at < FRESH_MS) return recent.isThere;
    const isThere = engine.probe();
    known.set(engine, { at: now(), isThere });
    return isThere;
  };
}

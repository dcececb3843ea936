import { CallerSums } from '../base/caller-sums.ts';
import { type Caller, TurnLines } from '../base/turn-lines.ts';

const MIB = 1024 * 1024;
const BYTES_MAX = 64 * MIB;
const ORGANIZATION_BYTES_MAX = 16 * MIB;
const KEY_BYTES_MAX = 12 * MIB;

/**
 * What large request bodies of all callers together may keep in memory while they are received and parsed. A body
 * beyond it waits unread; organizations take turns, then the keys of one. One body of any size may be alone.
 */
export type BodyTurns = {
  /** Before a body is read. Synchronous when there is room. */
  enter(caller: Caller, bytes: number): void | Promise<void>;
  leave(caller: Caller, bytes: number): void;
};

export function createBodyTurns(): BodyTurns {
  const held = new CallerSums();
  const waiting = new TurnLines<{ bytes: number; begin: () => void }>();

  const fits = (sum: number, bytes: number, max: number) => sum === 0 || sum + bytes <= max;
  const fitsShare = (caller: Caller, bytes: number) =>
    fits(held.ofOrganization(caller), bytes, ORGANIZATION_BYTES_MAX) && fits(held.ofKey(caller), bytes, KEY_BYTES_MAX);

  /** Who waits for its own share lets others pass; who waits for the server's does not, or it might wait for ever. */
  function beginNext(): boolean {
    const next = waiting.take(({ bytes }, caller) => {
      if (!fitsShare(caller, bytes)) return 'skip';
      if (!fits(held.all, bytes, BYTES_MAX)) return 'stop';
      held.add(caller, bytes);
      return 'take';
    });
    next?.begin();
    return next !== undefined;
  }

  return {
    enter(caller, bytes) {
      if (waiting.isEmpty() && fitsShare(caller, bytes) && fits(held.all, bytes, BYTES_MAX))
        return held.add(caller, bytes);
      let isIn = false;
      const { promise, resolve } = Promise.withResolvers<void>();
      const begin = () => {
        isIn = true;
        resolve();
      };
      waiting.push(caller, { bytes, begin });
      while (beginNext());
      return isIn ? undefined : promise;
    },
    leave(caller, bytes) {
      held.add(caller, -bytes);
      while (beginNext());
    },
  };
}

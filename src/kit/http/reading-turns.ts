import { CallerSums } from '../base/caller-sums.ts';
import { type Caller, TurnLines } from '../base/turn-lines.ts';

const MIB = 1024 * 1024;
const READING_MAX = 4;
const READING_EACH_MAX = 2;
const HELD_BYTES_MAX = 64 * MIB;
const ORGANIZATION_BYTES_MAX = 16 * MIB;
const KEY_BYTES_MAX = 12 * MIB;

/**
 * What large responses of all clients together may keep in memory. A group is read when few others are being read and
 * little waits for slow clients, of all callers, of this organization and of this key; otherwise its reader waits for
 * its turn.
 */
export type ReadingTurns = {
  /** Before a group is read. Synchronous when there is room. */
  enter(caller: Caller): void | Promise<void>;
  /** It was read. */
  leave(caller: Caller): void;
  /** So much waits for the client. */
  hold(caller: Caller, bytes: number): void;
  /** The client has taken it, or disconnected. */
  release(caller: Caller, bytes: number): void;
};

export function createReadingTurns(): ReadingTurns {
  const reading = new CallerSums();
  const heldBytes = new CallerSums();
  const waiting = new TurnLines<() => void>();

  const hasRoom = () => reading.all < READING_MAX && heldBytes.all < HELD_BYTES_MAX;
  const hasShare = (caller: Caller) =>
    reading.ofOrganization(caller) < READING_EACH_MAX &&
    heldBytes.ofOrganization(caller) < ORGANIZATION_BYTES_MAX &&
    heldBytes.ofKey(caller) < KEY_BYTES_MAX;

  function beginNext(): void {
    while (hasRoom()) {
      const begin = waiting.take((_, caller) => {
        if (!hasShare(caller)) return 'skip';
        reading.add(caller, 1);
        return 'take';
      });
      if (!begin) return;
      begin();
    }
  }

  return {
    enter(caller) {
      if (hasRoom() && hasShare(caller)) return reading.add(caller, 1);
      return new Promise((begin) => waiting.push(caller, begin));
    },
    leave(caller) {
      reading.add(caller, -1);
      beginNext();
    },
    hold: (caller, bytes) => heldBytes.add(caller, bytes),
    release(caller, bytes) {
      heldBytes.add(caller, -bytes);
      beginNext();
    },
  };
}

const READING_MAX = 4;
const READING_EACH_MAX = 2;
const HELD_BYTES_MAX = 64 * 1024 * 1024;
const HELD_BYTES_EACH_MAX = 16 * 1024 * 1024;

type Share = { reading: number; heldBytes: number };

/**
 * What large responses of all clients together may keep in memory. A group is read when few others are being read and
 * little waits for slow clients, of all callers and of this one; otherwise its reader waits.
 */
export type ReadingTurns = {
  /** Before a group is read. Synchronous when there is room. */
  enter(caller: string): void | Promise<void>;
  /** It was read. */
  leave(caller: string): void;
  /** So much waits for the client. */
  hold(caller: string, bytes: number): void;
  /** The client has taken it, or disconnected. */
  release(caller: string, bytes: number): void;
};

export function createReadingTurns(): ReadingTurns {
  const all: Share = { reading: 0, heldBytes: 0 };
  const shares = new Map<string, Share>();
  const waiting: { caller: string; begin: () => void }[] = [];

  function shareOf(caller: string): Share {
    const known = shares.get(caller);
    if (known) return known;
    const share = { reading: 0, heldBytes: 0 };
    shares.set(caller, share);
    return share;
  }

  function hasRoom(caller: string): boolean {
    if (all.reading >= READING_MAX || all.heldBytes >= HELD_BYTES_MAX) return false;
    const share = shares.get(caller);
    return !share || (share.reading < READING_EACH_MAX && share.heldBytes < HELD_BYTES_EACH_MAX);
  }

  function change(caller: string, reading: number, heldBytes: number): void {
    const share = shareOf(caller);
    share.reading += reading;
    share.heldBytes += heldBytes;
    all.reading += reading;
    all.heldBytes += heldBytes;
    if (share.reading === 0 && share.heldBytes === 0) shares.delete(caller);
  }

  /** In the order of their arrival, without those whose own share is spent. */
  function beginNext(): void {
    for (let at = 0; at < waiting.length && all.reading < READING_MAX && all.heldBytes < HELD_BYTES_MAX; ) {
      const next = waiting[at];
      if (!next || !hasRoom(next.caller)) at++;
      else {
        waiting.splice(at, 1);
        change(next.caller, 1, 0);
        next.begin();
      }
    }
  }

  return {
    enter(caller) {
      if (hasRoom(caller)) return change(caller, 1, 0);
      return new Promise((begin) => waiting.push({ caller, begin }));
    },
    leave(caller) {
      change(caller, -1, 0);
      beginNext();
    },
    hold: (caller, bytes) => change(caller, 0, bytes),
    release(caller, bytes) {
      change(caller, 0, -bytes);
      beginNext();
    },
  };
}

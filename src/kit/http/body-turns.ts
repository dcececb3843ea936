const MIB = 1024 * 1024;
const BYTES_MAX = 64 * MIB;
const BYTES_EACH_MAX = 16 * MIB;

/**
 * What large request bodies of all callers together may keep in memory while they are received and parsed. A body
 * beyond it waits unread, in the order of arrival; one of any size may be alone.
 */
export type BodyTurns = {
  /** Before a body is read. Synchronous when there is room. */
  enter(caller: string, bytes: number): void | Promise<void>;
  leave(caller: string, bytes: number): void;
};

export function createBodyTurns(): BodyTurns {
  const shares = new Map<string, number>();
  const waiting: { caller: string; bytes: number; begin: () => void }[] = [];
  let held = 0;

  const fitsAll = (bytes: number) => held === 0 || held + bytes <= BYTES_MAX;
  function fitsShare(caller: string, bytes: number): boolean {
    const share = shares.get(caller) ?? 0;
    return share === 0 || share + bytes <= BYTES_EACH_MAX;
  }

  function change(caller: string, bytes: number): void {
    held += bytes;
    const share = (shares.get(caller) ?? 0) + bytes;
    if (share === 0) shares.delete(caller);
    else shares.set(caller, share);
  }

  /** Who waits for its own share lets others pass; who waits for the server's does not, or it might wait for ever. */
  function beginNext(): void {
    for (let at = 0; at < waiting.length; ) {
      const { caller, bytes, begin } = waiting[at] as (typeof waiting)[number];
      if (!fitsShare(caller, bytes)) at++;
      else if (!fitsAll(bytes)) return;
      else {
        waiting.splice(at, 1);
        change(caller, bytes);
        begin();
      }
    }
  }

  return {
    enter(caller, bytes) {
      const isNext = waiting.every((other) => !fitsShare(other.caller, other.bytes));
      if (isNext && fitsShare(caller, bytes) && fitsAll(bytes)) return change(caller, bytes);
      return new Promise((begin) => waiting.push({ caller, bytes, begin }));
    },
    leave(caller, bytes) {
      change(caller, -bytes);
      beginNext();
    },
  };
}

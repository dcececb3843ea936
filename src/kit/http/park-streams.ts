import type { StreamConnection } from './stream-connection.ts';

const LOOK_MS = 50;
/** Parking one takes some 30 µs; these delay no other request noticeably. */
const PARKED_PER_TURN = 8;
const TURN_MS = 5;

/** Looks for open streams that are quiet. */
export type StreamParking = {
  add(stream: StreamConnection): void;
  remove(stream: StreamConnection): void;
  stop(): void;
};

/** `park` returns false when the stream has to be looked at again. */
export function createStreamParking(park: (stream: StreamConnection) => boolean, lookMs = LOOK_MS): StreamParking {
  const watched = new Set<StreamConnection>();
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    for (const stream of watched) stream.looksLeft--;
    parkSome();
  }

  function parkSome(): void {
    timer = undefined;
    let left = PARKED_PER_TURN;
    for (const stream of watched) {
      if (stream.looksLeft > 0) continue;
      if (left-- === 0) return void plan(parkSome, TURN_MS);
      if (park(stream)) watched.delete(stream);
      // At the next look, so that those which cannot be parked do not take the turns of others.
      else stream.looksLeft = 1;
    }
    if (watched.size > 0) plan(look, lookMs);
  }

  function plan(next: () => void, ms: number): void {
    timer = setTimeout(next, ms).unref();
  }

  return {
    add(stream) {
      watched.add(stream);
      if (!timer) plan(look, lookMs);
    },
    remove: (stream) => void watched.delete(stream),
    stop: () => clearTimeout(timer),
  };
}

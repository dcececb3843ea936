import { isRoundUsed, isShared } from './round-budget.ts';
import { type Caller, NOBODY, TurnLines } from './turn-lines.ts';
import { UsedTime } from './used-time.ts';

const SHORT_MS = 0.5;
/** A round that took so long beside its turn served somebody. */
const SERVED_MS = 0.3;
const REST_MS_MAX = 20;

const waiting = new TurnLines<() => void>();
const used = new UsedTime();
let nameCaller = () => NOBODY;
let isScheduled = false;
let last = { ms: 0, endedAt: 0 };

/** Who asks for a turn, as far as that is known where the turn is asked for. */
export function nameCallers(name: () => Caller): void {
  nameCaller = name;
}

/** Waits for a turn when this round of the event loop has been used for long enough. */
export function waitForTurn(caller?: Caller): void | Promise<void> {
  if (isRoundUsed()) return ownTurn(caller);
}

/**
 * Resolves in a later round of the event loop, which has time for few turns. Work on large values asks for one before each
 * step. The organization that had the least time is next, then its keys in turn.
 */
export function ownTurn(caller = nameCaller()): Promise<void> {
  return new Promise((begin) => {
    waiting.push(caller, begin);
    if (!isScheduled) schedule();
  });
}

function schedule(): void {
  isScheduled = true;
  setImmediate(restOrBegin);
}

/** Whoever else is served gets as long as the last turn took: large work has at most half of the time beside others. */
function restOrBegin(): void {
  const now = performance.now();
  if (isShared(now) && now - last.endedAt > SERVED_MS && last.ms > SHORT_MS)
    setTimeout(beginTurn, Math.min(last.ms, REST_MS_MAX));
  else beginTurn();
}

/** Begins a turn. A short one is followed by the next in the same round; after a longer one others are served. */
function beginTurn(): void {
  const startedAt = performance.now();
  isRoundUsed();
  const organization = takeNext();
  queueMicrotask(() =>
    process.nextTick(() => {
      const endedAt = performance.now();
      const ms = endedAt - startedAt;
      last = { ms, endedAt };
      used.add(organization, ms);
      if (waiting.isEmpty()) isScheduled = false;
      else if (ms > SHORT_MS || isRoundUsed()) schedule();
      else beginTurn();
    }),
  );
}

function takeNext(): string {
  let [next, leastMs] = ['', Number.POSITIVE_INFINITY];
  waiting.take((_, { organization }) => {
    const ms = used.of(organization);
    if (ms < leastMs) [next, leastMs] = [organization, ms];
    return 'skip';
  });
  waiting.take((_, { organization }) => (organization === next ? 'take' : 'skip'))?.();
  return next;
}

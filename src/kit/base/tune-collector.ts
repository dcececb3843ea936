import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { keepTickShape } from './keep-tick-shape.ts';
import { createMemoryTrimmer } from './trim-memory.ts';

const LOOK_MS = 1000;
/** Between two looks once it is quiet. */
const REST_MS = 5000;
/** Of CPU time, µs a millisecond: a server that uses less has nobody waiting. */
const QUIET_US_PER_MS = 50;
/** What a heap must have grown by since it was last given back. */
const GROWN_BYTES = 64 * 1024 * 1024;

/**
 * Young garbage is collected on the main thread only: little survives, and V8's helper threads cost more CPU than they save,
 * 54 µs of each 1 KiB chat by default, 4 µs with this setting. For old garbage one helper is enough; three take a small
 * machine's core from the server. And a heap may grow by 40 % before it is collected, not to four times its size. The young
 * generation is collected when it is full, not at four fifths in an idle moment, which a busy server does not have. And nothing is born
 * old: what waits for its batch lives through a collection, but not for long, and old garbage keeps young garbage alive. No
 * collection takes what makes ticks quick.
 */
export function tuneCollector(): void {
  setFlagsFromString('--no-parallel-scavenge');
  setFlagsFromString('--no-minor-gc-task');
  setFlagsFromString('--no-allocation-site-pretenuring');
  setFlagsFromString('--concurrent-marking-max-worker-num=1');
  setFlagsFromString('--heap-growing-percent=40');
  keepTickShape();
}

/**
 * Gives back what V8 would keep as long as nothing happens: 25 MB that loading the program left behind, and later what a burst
 * of work left. It takes about 100 ms, so it waits for a quiet moment. What the C library keeps is given back meanwhile, too.
 */
export function releaseWhenQuiet(): void {
  let before = process.cpuUsage();
  let keptBytes = Number.NEGATIVE_INFINITY;
  const trim = createMemoryTrimmer();

  /** Returns whether the server was quiet for this long. */
  function look(ms: number): boolean {
    trim();
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    if (user + system > QUIET_US_PER_MS * ms) return false;
    if (getHeapStatistics().total_heap_size < keptBytes + GROWN_BYTES) return true;
    collectAll();
    keptBytes = getHeapStatistics().total_heap_size;
    before = process.cpuUsage();
    return true;
  }

  function lookAfter(ms: number): void {
    setTimeout(() => lookAfter(look(ms) ? REST_MS : LOOK_MS), ms).unref();
  }

  lookAfter(LOOK_MS);
}

function collectAll(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

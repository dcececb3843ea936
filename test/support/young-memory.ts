import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * The bytes that `rounds` of work leave among old objects, each followed by two collections of young ones: what is garbage by then
 * and still there waits for a full collection.
 */
export async function keptAfter(rounds: number, work: (round: number) => unknown): Promise<number> {
  const collect = collector();
  await work(0);
  for (let i = 0; i < 3; i++) collect({ type: 'minor' });
  collect({ type: 'major' });
  const before = oldBytes();
  for (let round = 1; round <= rounds; round++) {
    await work(round);
    collect({ type: 'minor' });
    collect({ type: 'minor' });
  }
  return oldBytes() - before;
}

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0;
}

function collector(): (options: { type: 'minor' | 'major' }) => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  setFlagsFromString('--no-expose-gc');
  return collect;
}

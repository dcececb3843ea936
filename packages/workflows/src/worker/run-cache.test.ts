import { describe, expect, it } from 'vitest';
import type { HotRun } from './hot-run.ts';
import { createRunCache } from './run-cache.ts';

const run = (runId: string, results: HotRun['results'] = []): HotRun =>
  ({ runId, results, unanswered: 0, characters: 0 }) as unknown as HotRun;

describe('the runs that are kept', () => {
  it('are the most recently used, when there are too many', () => {
    const cache = createRunCache({ runsMax: 2, charactersMax: 1e9 });
    cache.put(run('a'));
    cache.put(run('b'));
    cache.get('a');
    cache.put(run('c'));
    expect([cache.peek('a'), cache.peek('b'), cache.peek('c')].map((found) => found?.runId)).toEqual([
      'a',
      undefined,
      'c',
    ]);
  });

  it('are fewer, when they are big', () => {
    const cache = createRunCache({ runsMax: 100, charactersMax: 50_000 });
    const big = run('big');
    cache.put(run('small'));
    cache.put(big);
    cache.weigh(big, 60_000);
    expect(cache.size).toBe(1);
    expect(cache.peek('big')).toBe(big);
  });

  it('include those whose results were not sent yet', () => {
    const cache = createRunCache({ runsMax: 1, charactersMax: 1e9 });
    cache.put(run('owing', [{} as never]));
    cache.put(run('b'));
    cache.put(run('c'));
    expect(cache.peek('owing')).toBeDefined();
    expect(cache.peek('b')).toBeUndefined();
  });

  it('weigh nothing any more when they are gone', () => {
    const cache = createRunCache({ runsMax: 100, charactersMax: 30_000 });
    const big = run('big');
    cache.put(big);
    cache.weigh(big, 20_000);
    cache.remove('big');
    for (const name of ['a', 'b', 'c', 'd']) cache.put(run(name));
    expect(cache.size).toBe(4);
  });
});

import { dirname } from 'node:path';
import { describe, expect, inject, it, vi } from 'vitest';
import { onSqliteFirst, postgresForTests, type TestDatabase } from '../../../test/support/databases.ts';
import { inFull } from '../../../test/support/in-full.ts';
import { withinASecond } from '../../../test/support/within-a-second.ts';
import { run } from '../../cli/run-for-tests.ts';
import { advance, chat, holdTheClock, rateHeaders, serveLimited } from '../limits-for-tests.ts';

const url = inject('postgresUrl');
const TOKENS_A_MINUTE = 'x-ratelimit-limit-tokens-minute';

describe.runIf(url)('two servers on one PostgreSQL', () => {
  holdTheClock();

  async function servePair(requests_per_second: number) {
    const database = postgresForTests(url ?? '');
    const limits = { workspace: { requests_per_second } };
    const here = await serveLimited(database, limits);
    const there = await serveLimited(database, limits, here.upstream);
    return { here, there, upstream: here.upstream };
  }

  it('let through together what the limit of the workspace allows, and not one request more', async () => {
    const { here, there, upstream } = await servePair(5);
    const burst = async () => {
      const answers = await Promise.all(Array.from({ length: 24 }, (_, i) => chat(i % 2 === 0 ? here : there)));
      return answers.map(({ status }) => status).sort();
    };
    expect(await burst()).toEqual([...Array(5).fill(200), ...Array(19).fill(429)]);
    advance(1000);
    expect(await burst()).toEqual([...Array(5).fill(200), ...Array(19).fill(429)]);
    expect(upstream.calls).toHaveLength(10);
  });

  inFull.it('never let through more than the limit while they lease slices of it', async () => {
    const { here, there, upstream } = await servePair(60);
    const answers = await Promise.all(Array.from({ length: 140 }, (_, i) => chat(i % 2 === 0 ? here : there)));
    const admitted = answers.filter(({ status }) => status === 200).length;
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(140 - admitted);
    expect(upstream.calls).toHaveLength(admitted);
    expect(admitted).toBeLessThanOrEqual(60);
    // What each keeps for a quarter of a second is not lost on the other for long.
    expect(admitted).toBeGreaterThanOrEqual(40);
  });
});

function environmentOf({ options }: TestDatabase): Record<string, string> {
  return options.kind === 'sqlite'
    ? { TRAMONTANE_DATA_DIR: dirname(options.file) }
    : { TRAMONTANE_DATABASE_URL: options.url };
}

onSqliteFirst('a limit that a command sets', (database) => {
  it('holds in a running server within a second, and no longer than that once it is cleared', async () => {
    const server = await serveLimited(database, {});
    const environment = environmentOf(database);
    expect(rateHeaders(await chat(server))).toEqual({});

    const set = ['limits', 'set', '--workspace', 'Default', '--tokens-per-minute', '9000'];
    expect(await run(set, environment)).toMatchObject({ code: 0 });
    const limitNow = async () => rateHeaders(await chat(server))[TOKENS_A_MINUTE];
    await withinASecond(async () => (await limitNow()) === '9000');
    expect(await run(['limits', 'clear', '--workspace', 'Default'], environment)).toMatchObject({ code: 0 });
    await withinASecond(async () => (await limitNow()) === undefined);
    expect(rateHeaders(await chat(server))).toEqual({});
    await vi.waitFor(
      async () => {
        const { stdout } = await run(['usage', '--by', 'model', '--json'], environment);
        expect(JSON.parse(stdout)).toMatchObject({
          rows: [{ model: 'small', requests: server.upstream.calls.length }],
        });
      },
      { timeout: 10_000 },
    );
  });
});

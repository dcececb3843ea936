import { beforeAll, expect, it } from 'vitest';
import { defineStep, defineWorkflow } from '../../packages/workflows/src/index.ts';
import { startWorker } from '../../packages/workflows/src/worker/index.ts';
import { call } from '../support/call.ts';
import { atEnd } from '../support/cleanup.ts';
import { onSqliteFirst } from '../support/databases.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { countStatements } from '../support/statements.ts';
import { startUpstream } from '../support/upstream.ts';

/** What the server does by itself meanwhile; idle.test.ts counts that. */
const BESIDE = /look_0|data_version/;
const TIMES = 20;
const AT_ONCE = 25;
/** The ledger and the spans, in a transaction each. */
const WRITTEN_TOGETHER = /^begin|^commit|usage|spans|ledger/;

// Counts do not depend on the machine, so they guard here what the benchmarks measure.
onSqliteFirst('the statements of a request', (test) => {
  let server: TestServer;
  beforeAll(async () => {
    const upstream = await startUpstream();
    const small = { id: 'small', engine: 'upstream' as const, url: upstream.url, upstream_model: 'any' };
    server = await startTestServer(test, { file: { models: [small] } });
    await call(server, '/v2/prompts', {
      body: { name: 'greeting', definition: { content: 'Hello' }, aliases: ['live'] },
    });
  });

  /** The mean over a few, after one that fills the caches. */
  async function perRequest(request: () => Promise<{ status: number; text: string }>) {
    const ask = async () => {
      const { status, text } = await request();
      if (status !== 200) throw new Error(text);
    };
    await ask();
    await ask();
    const statements = countStatements();
    for (let n = 0; n < TIMES; n++) await ask();
    const texts = statements.stop().texts.filter((text) => !BESIDE.test(text));
    const commits = texts.filter((text) => text === 'commit');
    return { statements: texts.length / TIMES, commits: commits.length / TIMES, texts };
  }

  it.each(['/v1/users/me', '/v1/models'])('is none for GET %s', async (path) => {
    const { statements, texts } = await perRequest(() => call(server, path));
    expect(statements, texts.join('\n')).toBeLessThan(0.5);
  });

  it('is none for a prompt by its alias, and one where other processes may have moved it', async () => {
    const { statements, texts } = await perRequest(() => call(server, '/v2/prompts/greeting?alias=live'));
    expect(statements, texts.join('\n')).toBeLessThan(test.kind === 'sqlite' ? 0.5 : 1.5);
  });

  it('is none for a chat, beside what it used: that is written for all chats of a second together', async () => {
    const body = { model: 'small', messages: [{ role: 'user', content: 'Hi' }] };
    const chats = async () => {
      const all = await Promise.all(
        Array.from({ length: AT_ONCE }, () => call(server, '/v1/chat/completions', { body })),
      );
      return all.find(({ status }) => status !== 200) ?? { status: 200, text: '' };
    };
    const { statements, texts } = await perRequest(chats);
    const others = texts.filter((text) => !WRITTEN_TOGETHER.test(text));
    expect(others.length / TIMES / AT_ONCE, others.join('\n')).toBeLessThan(0.1);
    expect(statements / AT_ONCE, texts.join('\n')).toBeLessThan(1);
  });

  it('is some forty in five commits for an execution of three steps that is alone', async () => {
    const add = defineStep('add', async ({ a, b }: { a: number; b: number }) => a + b);
    const threeSteps = defineWorkflow('three-steps', {}, async (ctx) => {
      const one = await ctx.step(add, { a: 1, b: 2 });
      const two = await ctx.step(add, { a: one, b: 3 });
      return ctx.step(add, { a: two, b: 4 });
    });
    const worker = await startWorker({
      url: server.url,
      apiKey: server.key,
      workflows: [threeSteps],
      steps: [add],
    });
    atEnd(() => worker.stop());
    const body = { input: {}, wait_for_result: true, timeout_seconds: 30 };
    const { statements, commits, texts } = await perRequest(() =>
      call(server, '/v1/workflows/three-steps/execute', { body }),
    );
    const seen = texts.slice(0, 60).join('\n');
    expect(statements, seen).toBeLessThanOrEqual(STATEMENTS_MAX);
    expect(commits, seen).toBeLessThanOrEqual(COMMITS_MAX);
  }, 30_000);
});

const STATEMENTS_MAX = 48;
const COMMITS_MAX = 7;

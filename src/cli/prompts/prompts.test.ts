import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { run, runJson } from '../run-for-tests.ts';

describe('prompts', () => {
  let server: TestServer;
  let environment: Record<string, string>;
  beforeAll(async () => {
    server = await startTestServer(sqliteForTests());
    environment = { TRAMONTANE_URL: server.url, TRAMONTANE_API_KEY: server.key };
    const definition = { content: 'Hi {{who}}', variables: [{ name: 'who' }] };
    await call(server, '/v2/prompts', { body: { name: 'greeting', title: 'Hello', definition, aliases: ['main'] } });
    await call(server, '/v2/prompts/greeting/versions', { body: { definition: { content: 'Ho' }, aliases: ['main'] } });
  });

  it('list shows all of them, page after page', async () => {
    for (let i = 0; i < 101; i++)
      await call(server, '/v2/prompts', { body: { name: `x${i}`, definition: { content: 'x' } } });
    const { code, data } = await runJson(['prompts', 'list'], environment);
    expect(code).toBe(0);
    expect(data).toHaveLength(102);
    const { stdout } = await run(['prompts', 'list'], environment);
    expect(stdout).toMatch(/^greeting +2 +main +private +\d{4}-.* +Hello$/m);
  });

  it('show, set-model and aliases speak of one prompt', async () => {
    const first = await run(['prompts', 'show', 'greeting', '--version', '1'], environment);
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('Version    1 of 2') });
    expect(first.stdout).toContain('Hi {{who}}');
    expect(first.stdout).toContain('Variables  who');
    const set = await run(['prompts', 'set-model', 'greeting', 'small'], environment);
    expect(set).toMatchObject({ code: 0, stdout: expect.stringContaining('prompt:greeting') });
    const { data } = await runJson(['prompts', 'show', 'greeting', '--alias', 'main'], environment);
    expect(data).toMatchObject({ version: 2, model: 'small' });
    await run(['prompts', 'set-model', 'greeting', 'none'], environment);
    expect((await call(server, '/v2/prompts/greeting/model')).body).toEqual({ model: null });
    const moves = await run(['prompts', 'aliases', 'greeting'], environment);
    expect(moves.stdout).toMatch(/^main +1 +2 +\d{4}/m);
  });

  it('a mistake is said in a sentence', async () => {
    expect(await run(['prompts', 'show', 'no/where'], environment)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("No prompt 'no/where' was found"),
    });
    const both = ['prompts', 'show', 'greeting', '--version', '1', '--alias', 'main'];
    expect(await run(both, environment)).toMatchObject({ code: 2, stderr: expect.stringContaining('not both') });
    expect(await run(['prompts', 'set-model', 'greeting', 'prompt:x'], environment)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('a prompt cannot be the model of a prompt'),
    });
  });

  it('diff takes numbers and aliases', async () => {
    const diff = (from: string, to: string) => run(['prompts', 'diff', 'greeting', from, to], environment);
    const expected = expect.stringContaining('-Hi {{who}}\n\\ No newline at end of file\n+Ho');
    expect(await diff('1', '2')).toMatchObject({ code: 0, stdout: expected });
    expect((await diff('1', 'latest')).stdout).toEqual(expected);
    expect((await diff('2', 'main')).stdout).toBe('Versions 2 and 2 have the same files.\n');
    expect(await diff('1', '7')).toMatchObject({ code: 1, stderr: expect.stringContaining('version 7') });
  });
});

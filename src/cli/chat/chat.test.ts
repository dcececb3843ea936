import { beforeAll, describe, expect, it } from 'vitest';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { type ScriptedUpstream, startUpstream } from '../../../test/support/upstream.ts';
import { run, runJson, runWithInput } from '../run-for-tests.ts';

describe('chat', () => {
  let upstream: ScriptedUpstream;
  let server: TestServer;
  beforeAll(async () => {
    upstream = await startUpstream();
    upstream.answerWith((_call, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const chunk = (delta: object, finish_reason: string | null) =>
        `data: ${JSON.stringify({ id: 'x', model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
      response.write(chunk({ role: 'assistant', reasoning_content: 'Be kind.' }, null));
      response.write(chunk({ content: 'Hello ' }, null));
      response.write(chunk({ content: 'there.' }, 'stop'));
      response.write(
        `data: ${JSON.stringify({ id: 'x', model: 'm', choices: [], usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } })}\n\n`,
      );
      response.end('data: [DONE]\n\n');
    });
    server = await startTestServer(sqliteForTests(), {
      file: { models: [{ id: 'small', engine: 'upstream', url: upstream.url }] },
    });
  });
  const environment = (extra: Record<string, string> = {}) => ({
    TRAMONTANE_URL: server.url,
    TRAMONTANE_API_KEY: server.key,
    ...extra,
  });

  it('says one message, prints the answer and its speed', async () => {
    const { code, stdout, stderr } = await run(['chat', '--message', 'Hi'], environment());
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hello there.\n' });
    expect(stderr).toMatch(/\[small: 5 \+ 2 tokens, first token after \d+ ms/);
    expect((await runJson(['chat', '--message', 'Hi'], environment())).data).toMatchObject({
      model: 'small',
      content: 'Hello there.',
      usage: { prompt_tokens: 5, completion_tokens: 2 },
    });
  });

  it('answers every line that is piped to it, each with what was said before', async () => {
    const { code, stdout } = await runWithInput(['chat', '--system', 'Rhyme.'], environment(), 'Hi\n\nAgain');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hello there.\nHello there.\n' });
    expect(upstream.calls.at(-1)?.body.messages).toEqual([
      { role: 'system', content: 'Rhyme.' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello there.' },
      { role: 'user', content: 'Again' },
    ]);
    const asJson = await runWithInput(['chat', '--json'], environment(), 'Hi\nAgain\n');
    expect(
      asJson.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).content),
    ).toEqual(['Hello there.', 'Hello there.']);
    expect(await runWithInput(['chat'], environment(), '')).toMatchObject({ code: 0, stdout: '' });
  });

  it.each([
    ['no key', { TRAMONTANE_API_KEY: '' }, 'Set TRAMONTANE_API_KEY'],
    ['a wrong key', { TRAMONTANE_API_KEY: 'wrong' }, 'does not accept this key'],
    ['what a page of the docs shows in its place', { TRAMONTANE_API_KEY: '…' }, 'is not an API key'],
    ['no server', { TRAMONTANE_URL: 'http://127.0.0.1:9' }, 'No server is running at http://127.0.0.1:9'],
  ])('with %s says what to do', async (_name, extra, message) => {
    expect(await run(['chat', '--message', 'Hi'], environment(extra as Record<string, string>))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(message),
    });
  });

  it('with an unknown model says so', async () => {
    expect(await run(['chat', '--message', 'Hi', '--model', 'nothing'], environment())).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Invalid model: nothing'),
    });
  });
});

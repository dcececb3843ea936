import { beforeEach, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import {
  type ChatServer,
  engineFor,
  json,
  readEvents,
  type ScriptedUpstream,
  serveChat,
  startUpstream,
  textAnswer,
  textEvents,
  textOf,
} from './chat-for-tests.ts';

let upstream: ScriptedUpstream;
let server: ChatServer;
beforeEach(async () => {
  upstream = await startUpstream();
  const engine = engineFor(upstream);
  const { completeFim: _, streamFim: __, ...without } = engine;
  server = await serveChat({
    code: engine,
    chatty: { engine, capabilities: { completion_fim: false } },
    plain: without,
  });
});

const body = { model: 'code', prompt: 'def add(a, b):\n', suffix: '\nprint(add(1, 2))' };
const post = (fields: object = {}) => call(server, '/v1/fim/completions', { body: { ...body, ...fields } });

describe('200', () => {
  it('the middle is the content of the message [CHAT-FIM] [CHAT-FIM-SAMPLING] [CHAT-FIM-HINTS]', async () => {
    upstream.answerWith((_call, response) => json(response, 200, textAnswer('    return a + b')));
    const { status, body: answer } = await post({
      temperature: 0,
      max_tokens: 9,
      min_tokens: 2,
      stop: 'x',
      random_seed: 1,
      top_p: 0.5,
      metadata: { a: { b: [1] } },
      prompt_cache_key: 'k',
    });
    expect(status).toBe(200);
    expect(answer).toMatchObject({
      object: 'chat.completion',
      model: 'code',
      choices: [{ message: { role: 'assistant', content: '    return a + b' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    });
    expect(upstream.calls[0]).toMatchObject({
      path: '/v1/fim/completions',
      body: {
        model: 'upstream-model',
        prompt: body.prompt,
        suffix: body.suffix,
        temperature: 0,
        max_tokens: 9,
        min_tokens: 2,
        stop: ['x'],
        random_seed: 1,
        top_p: 0.5,
      },
    });
    expect(server.usage).toMatchObject([{ kind: 'fim', status: 200 }]);
  });

  it('a server without that path is asked for a completion with a suffix, from then on', async () => {
    upstream.answerWith((call, response) =>
      call.path === '/v1/completions'
        ? json(response, 200, { choices: [{ index: 0, text: 'middle', finish_reason: 'stop' }] })
        : json(response, 404, {}),
    );
    for (let time = 0; time < 2; time++)
      expect((await post({ random_seed: 5 })).body).toMatchObject({ choices: [{ message: { content: 'middle' } }] });
    expect(upstream.calls.map(({ path, body }) => [path, body.seed])).toEqual([
      ['/v1/fim/completions', undefined],
      ['/v1/completions', 5],
      ['/v1/completions', 5],
    ]);
  });

  it('as a stream it has the chunks of a chat, with p [CHAT-FIM-P]', async () => {
    upstream.answerWith((_call, response) => textEvents(response, ['return ', 'a']));
    const streamed = readEvents((await post({ stream: true })).text);
    expect(textOf(streamed)).toBe('return a');
    expect(streamed.chunks.every(({ p }) => p.length > 0)).toBe(true);
    expect(streamed.chunks.at(-1)?.usage).toMatchObject({ total_tokens: 10 });
    expect(streamed.isDone).toBe(true);
  });
});

describe('refusals', () => {
  it.each(['chatty', 'plain'])('400: the model %s has no middle [CHAT-FIM-REFUSED]', async (model) => {
    expect(await post({ model })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('cannot fill in the middle') },
    });
  });

  it('400: an unknown model', async () => {
    expect(await post({ model: 'nobody' })).toMatchObject({ status: 400, body: { code: '1500' } });
  });

  it.each([[{ messages: [] }], [{ prompt: 7 }], [{ min_tokens: -1 }], [{ temperature: 2 }]])(
    '422: %j',
    async (fields) => {
      expect((await post(fields)).status).toBe(422);
    },
  );
});

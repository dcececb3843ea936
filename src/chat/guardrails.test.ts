import { beforeEach, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import {
  type ChatServer,
  engineFor,
  hello,
  json,
  readEvents,
  type ScriptedUpstream,
  serveChat,
  startUpstream,
  textAnswer,
  textEvents,
  textOf,
} from './chat-for-tests.ts';

const scores = { sexual: 0, violence_and_threats: 0.8, dangerous: 0.2, criminal: 0.3, pii: 0.01, jailbreaking: 0 };
const verdicts = {
  ...Object.fromEntries(Object.keys(scores).map((name) => [name, false])),
  violence_and_threats: true,
};
const harmless = {
  scores: { ...scores, violence_and_threats: 0.1 },
  verdicts: { ...verdicts, violence_and_threats: false },
};

let upstream: ScriptedUpstream;
let moderator: ScriptedUpstream;
let server: ChatServer;

/** Whatever mentions a fight is violent, and nothing else is. */
beforeEach(async () => {
  upstream = await startUpstream();
  upstream.answerWith(({ body }, response) =>
    body.stream ? textEvents(response, ['Hi', '.']) : json(response, 200, textAnswer('Hi.')),
  );
  moderator = await startUpstream();
  moderator.answerWith(({ body }, response) =>
    json(response, 200, {
      results: (body.input as string[]).map((text) =>
        text.includes('fight')
          ? { categories: verdicts, category_scores: scores }
          : { categories: harmless.verdicts, category_scores: harmless.scores },
      ),
      usage: { prompt_tokens: 11 },
    }),
  );
  server = await serveChat({
    small: engineFor(upstream),
    'mistral-moderation-2603': { engine: engineFor(moderator), capabilities: { moderation: true } },
    'mistral-moderation-2411': { engine: engineFor(moderator), capabilities: { moderation: true } },
  });
});

const fight = { model: 'small', messages: [{ role: 'user', content: 'Let us fight.' }] };
const blocking = { moderation_llm_v2: { action: 'block' } };
const post = (body: unknown) => call(server, '/v1/chat/completions', { body });

describe('an input that a guardrail blocks', () => {
  it('is 403 with the decisions, and the model is never asked [CHAT-GUARDRAILS-BLOCK] [GUARDRAILS-INPUT]', async () => {
    const { status, body } = await post({ ...fight, guardrails: [blocking] });
    expect(status).toBe(403);
    expect(body).toEqual({
      error: { message: expect.stringContaining('violence_and_threats'), status: 403 },
      guardrails: {
        results: {
          moderation_llm_v2: {
            model_name: 'mistral-moderation-2603',
            decisions: Object.fromEntries(
              Object.entries(scores).map(([name, score]) => [
                name,
                { threshold: null, score, violated: name === 'violence_and_threats' },
              ]),
            ),
            violated: true,
            action: 'block',
          },
        },
      },
    });
    expect(upstream.calls).toHaveLength(0);
    expect(moderator.calls).toMatchObject([
      { path: '/v1/moderations', body: { model: 'upstream-model', input: ['Let us fight.'] } },
    ]);
  });

  it('is the same 403, and no stream, where a stream was asked for [GUARDRAILS-INPUT]', async () => {
    const answer = await post({ ...fight, stream: true, guardrails: [blocking] });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(answer.body).toMatchObject({ error: { status: 403 } });
    expect(upstream.calls).toHaveLength(0);
  });

  it('costs the tokens of the check and nothing of the model', async () => {
    await post({ ...fight, guardrails: [blocking] });
    expect(server.usage).toMatchObject([
      { kind: 'moderation', model: 'mistral-moderation-2603', status: 200, usage: { promptTokens: 11 } },
      { kind: 'chat', model: 'small', status: 403, usage: { promptTokens: 0, completionTokens: 0 } },
    ]);
  });

  it.each([
    ['a user', [...fight.messages]],
    [
      'a user in chunks',
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'fight' },
          ],
        },
      ],
    ],
    ['a user long ago', [...fight.messages, { role: 'assistant', content: 'No.' }, ...hello.messages]],
    [
      'a tool',
      [
        ...hello.messages,
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'aaaaaaaaa', function: { name: 'read_page', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'aaaaaaaaa', content: 'fight' },
      ],
    ],
    ['the beginning of the answer', [...hello.messages, { role: 'assistant', content: 'A fight', prefix: true }]],
  ])('may have been said by %s', async (_name, messages) => {
    expect((await post({ ...fight, messages, guardrails: [blocking] })).status).toBe(403);
  });

  it.each([
    ['the developer', [{ role: 'system', content: 'You judge a fight.' }, ...hello.messages]],
    ['the assistant', [...hello.messages, { role: 'assistant', content: 'A fight.' }, ...hello.messages]],
  ])('is not what %s said', async (_name, messages) => {
    expect((await post({ ...fight, messages, guardrails: [blocking] })).status).toBe(200);
  });

  it('is blocked by any of several guardrails; each model is asked once [GUARDRAILS-ONE-CONFIG]', async () => {
    const off = { moderation_llm_v2: { action: 'block', custom_category_thresholds: { violence_and_threats: 1 } } };
    const first = { moderation_llm_v1: { action: 'block' } };
    const { status, body } = await post({ ...fight, guardrails: [off, first, blocking] });
    expect(status).toBe(403);
    expect(body).toMatchObject({
      guardrails: {
        results: {
          moderation_llm_v1: {
            model_name: 'mistral-moderation-2411',
            decisions: { dangerous_and_criminal_content: { score: 0.3 } },
            action: 'block',
          },
          moderation_llm_v2: { violated: true, action: 'block' },
        },
      },
    });
    expect(moderator.calls).toHaveLength(2);
  });
});

describe('an input that passes', () => {
  it('is answered, with what each guardrail found [CHAT-GUARDRAILS] [GUARDRAILS-RESULTS]', async () => {
    const { status, body } = await post({ ...hello, guardrails: [blocking, { moderation_llm_v1: {} }] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      choices: [{ message: { content: 'Hi.' } }],
      guardrails: [
        { moderation_llm_v2: { action: 'pass', categories: { criminal: { score: 0.3, violated: false } } } },
        { moderation_llm_v1: { action: 'none', categories: { sexual: { score: 0, violated: false } } } },
      ],
    });
    expect(server.usage.map(({ kind, status }) => [kind, status])).toEqual([
      ['moderation', 200],
      ['moderation', 200],
      ['chat', 200],
    ]);
  });

  it('is shown on the first chunk of a stream, once [GUARDRAILS-RESULTS]', async () => {
    const { status, text } = await post({ ...hello, n: 2, stream: true, guardrails: [blocking] });
    expect(status).toBe(200);
    const streamed = readEvents(text);
    const [first, ...others] = streamed.chunks as { guardrails?: unknown; p: string }[];
    expect(first?.guardrails).toMatchObject([{ moderation_llm_v2: { action: 'pass' } }]);
    expect(first?.p).toMatch(/^[a-z0-9]+$/);
    expect(others.every((chunk) => !('guardrails' in chunk))).toBe(true);
    expect(textOf(streamed)).toBe('Hi.');
  });

  it('with action none a violation is only told [CHAT-GUARDRAILS]', async () => {
    const { status, body } = await post({ ...fight, guardrails: [{ moderation_llm_v2: {} }] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      guardrails: [
        { moderation_llm_v2: { action: 'none', categories: { violence_and_threats: { score: 0.8, violated: true } } } },
      ],
    });
  });

  it('without guardrails nobody is asked but the model, and the answer has no such field', async () => {
    const { body } = await post(hello);
    expect(body).not.toHaveProperty('guardrails');
    expect(moderator.calls).toHaveLength(0);
    expect(server.usage).toHaveLength(1);
  });

  it('an input without a word of text has nothing to find', async () => {
    const picture = [{ role: 'user', content: [{ type: 'image_url', image_url: 'https://example.com/a.png' }] }];
    const { status, body } = await post({ ...hello, messages: picture, guardrails: [blocking] });
    expect(status).toBe(200);
    expect(body).toMatchObject({ guardrails: [{ moderation_llm_v2: { action: 'pass', categories: {} } }] });
    expect(moderator.calls).toHaveLength(0);
  });
});

describe('thresholds', () => {
  const withThresholds = (thresholds: Record<string, number | null>, more = {}) => ({
    ...fight,
    guardrails: [{ moderation_llm_v2: { action: 'block', custom_category_thresholds: thresholds, ...more } }],
  });

  it.each([
    [{ violence_and_threats: 0.7 }, 403],
    [{ violence_and_threats: 0.9 }, 200],
    [{ violence_and_threats: 1 }, 200],
    [{ violence_and_threats: null }, 403],
    [{ violence_and_threats: 1, criminal: 0.25 }, 403],
    [{ pii: 0.5 }, 403],
  ])('%j decide over the model [GUARDRAILS-THRESHOLD]', async (thresholds, status) => {
    expect((await post(withThresholds(thresholds))).status).toBe(status);
  });

  it('are all that is looked at where the others are ignored [GUARDRAILS-IGNORE-OTHERS]', async () => {
    const { status, body } = await post(withThresholds({ pii: 0.5 }, { ignore_other_categories: true }));
    expect(status).toBe(200);
    expect(body).toMatchObject({ guardrails: [{ moderation_llm_v2: { categories: { pii: { violated: false } } } }] });
    expect(Object.keys((body as Verdicts).guardrails[0]?.moderation_llm_v2.categories ?? {})).toEqual(['pii']);
  });

  it('of a category that the model does not score make the check fail', async () => {
    const { body } = await post({ ...withThresholds({ law: 0.5 }) });
    expect(body).toMatchObject({
      guardrails: [
        { moderation_llm_v2: { error: { message: "The model 'mistral-moderation-2603' does not score law." } } },
      ],
    });
  });
});

type Verdicts = { guardrails: { moderation_llm_v2: { categories: Record<string, unknown> } }[] };

describe('a check that fails', () => {
  beforeEach(() => moderator.answerWith((_call, response) => json(response, 500, { secret: 'inside' })));

  it('blocks where block_on_error says so, and says nothing of the server [GUARDRAILS-BLOCK-ON-ERROR]', async () => {
    const answer = await post({ ...hello, guardrails: [{ ...blocking, block_on_error: true }] });
    expect(answer.status).toBe(403);
    expect(answer.body).toEqual({
      object: 'Error',
      message: expect.stringContaining('could not check'),
      type: 'invalid_request_error',
      code: 3201,
      guardrails: [{ moderation_llm_v2: { action: 'block', error: { message: expect.stringContaining('failed') } } }],
    });
    expect(answer.text).not.toContain('inside');
    expect(upstream.calls).toHaveLength(0);
    expect(server.usage.map(({ kind, status, usage }) => [kind, status, usage.promptTokens])).toEqual([
      ['moderation', 503, 0],
      ['chat', 403, 0],
    ]);
  });

  it('lets the input pass otherwise, tells the client and leaves a line in the log', async () => {
    const { status, body } = await post({ ...hello, guardrails: [blocking] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      choices: [{ message: { content: 'Hi.' } }],
      guardrails: [{ moderation_llm_v2: { action: 'pass', error: { message: expect.stringContaining('failed') } } }],
    });
    const line = server.logs.find((text) => text.includes('a guardrail could not check an input'));
    expect(line).toBeDefined();
    expect(line).not.toContain('hello');
  });

  it.each([
    ['that is not JSON', 'never'],
    ['without results', {}],
    ['with too few results', { results: [] }],
    ['with scores that are no numbers', { results: [{ categories: {}, category_scores: { pii: 'much' } }] }],
  ])('may be an answer %s', async (_name, answer) => {
    moderator.answerWith((_call, response) => json(response, 200, answer));
    const { status } = await post({ ...hello, guardrails: [{ ...blocking, block_on_error: true }] });
    expect(status).toBe(403);
  });
});

describe('a guardrail that makes no sense is 400', () => {
  it.each([
    ['no config', {}, 'exactly one of', 'guardrail_invalid'],
    ['two configs', { moderation_llm_v1: {}, moderation_llm_v2: {} }, 'exactly one of', 'guardrail_invalid'],
    ['an unknown model', { moderation_llm_v2: { model_name: 'nobody' } }, 'nobody', '1500'],
    [
      'a model that cannot moderate',
      { moderation_llm_v2: { model_name: 'small' } },
      'cannot moderate',
      'moderation_unsupported',
    ],
  ])('%s [GUARDRAILS-ONE-CONFIG]', async (_name, guardrail, words, code) => {
    expect(await post({ ...hello, guardrails: [guardrail] })).toMatchObject({
      status: 400,
      body: { object: 'error', message: expect.stringContaining(words), code },
    });
    expect(upstream.calls).toHaveLength(0);
  });

  it('more text than can be checked', async () => {
    const messages = [{ role: 'user', content: 'x'.repeat(400_001) }];
    expect(await post({ ...hello, messages, guardrails: [blocking] })).toMatchObject({ status: 400 });
    expect(upstream.calls).toHaveLength(0);
  });
});

it.each([
  [{ moderation_llm_v2: { action: 'warn' } }, 'enum'],
  [{ moderation_llm_v2: { threshold: 1 } }, 'extra_forbidden'],
  [{ moderation_llm_v2: { custom_category_thresholds: { weather: 1 } } }, 'extra_forbidden'],
  [{ moderation_llm_v1: { custom_category_thresholds: { jailbreaking: 1 } } }, 'extra_forbidden'],
  [{ moderation_llm_v2: { custom_category_thresholds: { pii: 'low' } } }, 'float_parsing'],
])('%j is 422', async (guardrail, type) => {
  const { status, body } = await post({ ...hello, guardrails: [guardrail] });
  expect(status).toBe(422);
  expect((body as { detail: { type: string }[] }).detail[0]?.type).toBe(type);
});

it('a client that leaves during the check pays for the check at most, and nothing is asked of the model', async () => {
  const leave = new AbortController();
  moderator.answerWith(() => leave.abort());
  const leaving = fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    signal: leave.signal,
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    body: JSON.stringify({ ...hello, guardrails: [blocking] }),
  });
  await expect(leaving).rejects.toThrow();
  await expect
    .poll(() => server.usage.map(({ kind, status }) => [kind, status]))
    .toEqual([
      ['moderation', 499],
      ['chat', 499],
    ]);
  expect(server.usage[1]?.usage).toEqual({ promptTokens: 0, completionTokens: 0 });
  expect(upstream.calls).toHaveLength(0);
});

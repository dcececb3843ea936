import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import {
  type ChatServer,
  engineFor,
  hello,
  json,
  type ScriptedUpstream,
  serveChat,
  startUpstream,
  textAnswer,
  weather,
} from './chat-for-tests.ts';

let upstream: ScriptedUpstream;
let server: ChatServer;
beforeAll(async () => {
  upstream = await startUpstream();
  const engine = engineFor(upstream);
  server = await serveChat({ small: engine });
});

const post = (body: unknown) => call(server, '/v1/chat/completions', { body });
const sent = () => upstream.calls.at(-1)?.body as { messages: unknown[] };
const answered = [
  { role: 'user', content: 'weather?' },
  {
    role: 'assistant',
    tool_calls: [{ id: 'abcdefgh1', function: { name: 'get_weather', arguments: { city: 'Paris' } } }],
  },
  { role: 'tool', content: '21 °C', tool_call_id: 'abcdefgh1', name: 'get_weather' },
];

describe('200', () => {
  it('answers with choices, each with a message [CHAT-CREATE] [CHAT-USAGE] [CHAT-ANSWER]', async () => {
    const { status, body } = await post(hello);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      object: 'chat.completion',
      created: expect.closeTo(Date.now() / 1000, -1),
      model: 'small',
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'You said: hello', tool_calls: null, prefix: false },
          finish_reason: 'stop',
        },
      ],
    });
  });

  it('usage has what else is known of it', async () => {
    upstream.answerWith((_call, response) =>
      json(response, 200, {
        ...(textAnswer('ok') as object),
        usage: {
          prompt_tokens: 80,
          completion_tokens: 9,
          total_tokens: 89,
          prompt_tokens_details: { cached_tokens: 64 },
          completion_tokens_details: { reasoning_tokens: 4 },
        },
      }),
    );
    const { body } = await post(hello);
    expect((body as { usage: unknown }).usage).toEqual({
      prompt_tokens: 80,
      completion_tokens: 9,
      total_tokens: 89,
      prompt_tokens_details: { cached_tokens: 64 },
      num_cached_tokens: 64,
      completion_tokens_details: { reasoning_tokens: 4 },
    });
  });

  it.each([
    ['temperature', { temperature: 1.5 }, { temperature: 1.5 }],
    ['top_p', { top_p: 0.1 }, { top_p: 0.1 }],
    ['max_tokens', { max_tokens: 0 }, { max_tokens: 0 }],
    ['stop as a text', { stop: 'x' }, { stop: ['x'] }],
    ['stop as a list', { stop: ['x', 'y'] }, { stop: ['x', 'y'] }],
    ['random_seed', { random_seed: 3 }, { seed: 3 }],
    ['both penalties', { presence_penalty: -2, frequency_penalty: 2 }, { presence_penalty: -2, frequency_penalty: 2 }],
    ['reasoning_effort', { reasoning_effort: 'low' }, { reasoning_effort: 'low' }],
    ['prompt_mode as high effort', { prompt_mode: 'reasoning' }, { reasoning_effort: 'high' }],
    ['an effort before a mode', { prompt_mode: 'reasoning', reasoning_effort: 'none' }, { reasoning_effort: 'none' }],
    [
      'prediction',
      { prediction: { type: 'content', content: 'abc' } },
      { prediction: { type: 'content', content: 'abc' } },
    ],
    ['prompt_cache_key', { prompt_cache_key: 'k' }, { prompt_cache_key: 'k' }],
  ])(
    '%s reaches the model [CHAT-TEMPERATURE] [CHAT-PENALTIES] [CHAT-TOP-P] [CHAT-STOP] [CHAT-SEED] [CHAT-CACHE-KEY] [CHAT-PREDICTION] [CHAT-REASONING]',
    async (_name, fields, expected) => {
      upstream.answerWith((_call, response) => json(response, 200, textAnswer('ok')));
      expect((await post({ ...hello, ...fields })).status).toBe(200);
      expect(sent()).toMatchObject(expected);
    },
  );

  it('null is as good as absent, and what only concerns us stays with us [CHAT-METADATA] [CHAT-SERVICE-TIER]', async () => {
    const nulls = Object.fromEntries(
      ['temperature', 'top_p', 'max_tokens', 'stop', 'random_seed', 'metadata', 'tools', 'presence_penalty', 'n'].map(
        (name) => [name, null],
      ),
    );
    const ours = { metadata: { a: 1 }, service_tier: 'auto', guardrails: [], safe_prompt: false };
    expect((await post({ ...hello, ...nulls, ...ours })).status).toBe(200);
    expect(sent()).toEqual({ model: 'upstream-model', messages: [{ role: 'user', content: 'hello' }] });
  });

  it('an empty list of guardrails is no guardrail', async () => {
    expect((await post({ ...hello, guardrails: [] })).status).toBe(200);
  });

  it('safe_prompt puts the safety prompt in front of the system message, or there [CHAT-SAFE-PROMPT]', async () => {
    await post({ ...hello, safe_prompt: true });
    expect(sent().messages).toEqual([
      { role: 'system', content: expect.stringMatching(/^Always assist with care, respect, and truth\./) },
      { role: 'user', content: 'hello' },
    ]);
    await post({ ...hello, safe_prompt: true, messages: [{ role: 'system', content: 'Rhyme.' }, ...hello.messages] });
    expect(sent().messages[0]).toEqual({
      role: 'system',
      content: expect.stringMatching(/^Always assist.*positivity\.\n\nRhyme\.$/),
    });
  });

  it('the result of a tool, and its name, reach the model [CHAT-TOOL-RESULT] [CHAT-TOOL-NAME] [CHAT-TOOL-CALLS]', async () => {
    expect((await post({ ...hello, messages: answered, tools: [weather] })).status).toBe(200);
    expect(sent().messages).toEqual([
      { role: 'user', content: 'weather?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'abcdefgh1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
        ],
      },
      { role: 'tool', content: '21 °C', tool_call_id: 'abcdefgh1', name: 'get_weather' },
    ]);
  });

  it('content may be chunks [CHAT-CONTENT] [CHAT-THINKING]', async () => {
    const content = [
      { type: 'text', text: 'what is this' },
      { type: 'image_url', image_url: 'https://a.example/b.png' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA', detail: 'low' } },
      { type: 'input_audio', input_audio: 'UklGRAAA' },
    ];
    const system = {
      role: 'system',
      content: [
        { type: 'text', text: 'Be' },
        { type: 'text', text: 'brief' },
      ],
    };
    const said = {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
        { type: 'text', text: 'yes' },
        { type: 'reference', reference_ids: [1, 'a'] },
      ],
    };
    const messages = [system, { role: 'user', content }, said, { role: 'user', content: null }];
    expect((await post({ ...hello, messages })).status).toBe(200);
    expect(sent().messages).toEqual([
      { role: 'system', content: 'Be\nbrief' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'what is this' },
          { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA', detail: 'low' } },
          { type: 'input_audio', input_audio: { data: 'UklGRAAA', format: 'wav' } },
        ],
      },
      { role: 'assistant', content: 'yes' },
      { role: 'user', content: '' },
    ]);
  });

  it('a prefix is sent as the last message, and the answer begins with it [CHAT-PREFIX]', async () => {
    upstream.answerWith((_call, response) => json(response, 200, textAnswer('Once upon a time')));
    const messages = [...hello.messages, { role: 'assistant', content: 'Once upon', prefix: true }];
    const { body } = await post({ ...hello, messages });
    expect(sent().messages[1]).toEqual({ role: 'assistant', content: 'Once upon', prefix: true });
    expect(body).toMatchObject({ choices: [{ message: { content: 'Once upon a time' } }] });
  });

  it('thoughts are chunks of the content, and not shown without effort [CHAT-THINKING] [CHAT-REASONING]', async () => {
    upstream.answerWith((_call, response) => json(response, 200, textAnswer('<think>Hm.</think>\n\nYes')));
    expect((await post(hello)).body).toMatchObject({
      choices: [
        {
          message: {
            content: [
              { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
              { type: 'text', text: 'Yes' },
            ],
          },
        },
      ],
    });
    expect((await post({ ...hello, reasoning_effort: 'none' })).body).toMatchObject({
      choices: [{ message: { content: 'Yes' } }],
    });
  });

  it.each([
    ['length', 'length'],
    ['model_length', 'model_length'],
    ['content_filter', 'error'],
    ['stop', 'stop'],
    ['eos', 'stop'],
  ])('the finish %s is %s [CHAT-FINISH]', async (theirs, ours) => {
    upstream.answerWith((_call, response) => json(response, 200, textAnswer('ok', theirs)));
    expect((await post(hello)).body).toMatchObject({ choices: [{ finish_reason: ours }] });
  });

  it('n answers that many choices, and the input counts once [CHAT-N] [CHAT-N-BILLED-ONCE]', async () => {
    upstream.answerWith((_call, response) => json(response, 200, textAnswer('ok')));
    const { body } = await post({ ...hello, n: 3 });
    expect(body).toMatchObject({
      choices: [{ index: 0 }, { index: 1 }, { index: 2 }],
      usage: { prompt_tokens: 7, completion_tokens: 9, total_tokens: 16 },
    });
  });
});

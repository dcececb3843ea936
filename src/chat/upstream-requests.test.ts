import { describe, expect, it } from 'vitest';
import type { ChatRequest, Engine } from '../engines/index.ts';
import {
  askFor,
  collect,
  deltaChunk,
  engineFor,
  events,
  json,
  never,
  startUpstream,
  textAnswer,
  textEvents,
} from './chat-for-tests.ts';

const ask = (engine: Engine, over: Partial<ChatRequest> = {}) => engine.complete(askFor(over), never());

describe('several choices', () => {
  const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };

  it('a server that ignores n is asked again, and the input counts once [CHAT-N-UPSTREAM]', async () => {
    const upstream = await startUpstream();
    upstream.answerWith((_call, response) =>
      json(response, 200, { choices: [{ index: 0, message: { content: `a${upstream.calls.length}` } }], usage }),
    );
    const answer = await ask(engineFor(upstream), { choices: 3 });
    expect(answer.choices.map(({ text }) => text)).toEqual(['a1', 'a2', 'a3']);
    expect(answer.usage).toEqual({ promptTokens: 10, completionTokens: 6 });
    expect(upstream.calls.map(({ body }) => body.n)).toEqual([3, 2, undefined]);
  });

  it('the same in a stream', async () => {
    const upstream = await startUpstream();
    upstream.answerWith((_call, response) => textEvents(response, [`a${upstream.calls.length}`]));
    const deltas = await collect(engineFor(upstream).stream(askFor({ choices: 2 }), never()));
    expect(deltas).toEqual([
      { kind: 'text', choice: 0, text: 'a1' },
      { kind: 'finish', choice: 0, reason: 'stop' },
      { kind: 'text', choice: 1, text: 'a2' },
      { kind: 'finish', choice: 1, reason: 'stop' },
      { kind: 'usage', usage: { promptTokens: 7, completionTokens: 6 } },
    ]);
  });
});

describe('the words of the server', () => {
  it('every setting arrives under its OpenAI name', async () => {
    const upstream = await startUpstream();
    await ask(engineFor(upstream), {
      temperature: 0.5,
      topP: 0.9,
      maxTokens: 7,
      stop: ['END'],
      seed: 3,
      presencePenalty: 1,
      frequencyPenalty: -1,
      reasoningEffort: 'low',
      prediction: 'maybe',
      cacheKey: 'k',
      tools: [{ name: 'f', description: 'd', parameters: { type: 'object' }, strict: true }],
      toolChoice: 'any',
      parallelToolCalls: false,
      format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true },
    });
    expect(upstream.calls[0]?.body).toEqual({
      model: 'upstream-model',
      messages: [{ role: 'user', content: 'hello' }],
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 7,
      stop: ['END'],
      seed: 3,
      presence_penalty: 1,
      frequency_penalty: -1,
      reasoning_effort: 'low',
      prediction: { type: 'content', content: 'maybe' },
      prompt_cache_key: 'k',
      tools: [
        { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true } },
      ],
      tool_choice: 'required',
      parallel_tool_calls: false,
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' }, strict: true } },
    });
  });

  it('a server that refuses unknown fields is asked in its own dialect from then on', async () => {
    const upstream = await startUpstream();
    upstream.answerWith((call, response) =>
      'seed' in call.body || 'stream_options' in call.body
        ? json(response, 422, { detail: [{ type: 'extra_forbidden', loc: ['body', 'seed'] }] })
        : textEvents(response, ['ok']),
    );
    const engine = engineFor(upstream);
    await collect(engine.stream(askFor({ seed: 1 }), never()));
    await collect(engine.stream(askFor({ seed: 2 }), never()));
    expect(upstream.calls.map(({ body }) => body.random_seed)).toEqual([undefined, 1, 2]);
  });

  it('a server that cannot stream is read whole', async () => {
    const upstream = await startUpstream();
    const deltas = await collect(engineFor(upstream).stream(askFor(), never()));
    expect(deltas).toEqual([
      { kind: 'text', choice: 0, text: 'You said: hello' },
      { kind: 'finish', choice: 0, reason: 'stop' },
      { kind: 'usage', usage: { promptTokens: 7, completionTokens: 3 } },
    ]);
  });

  it('an answer without usage is counted by its characters', async () => {
    const upstream = await startUpstream();
    upstream.answerWith((_call, response) => events(response, [deltaChunk({ content: '12345' }, 'stop')]));
    const deltas = await collect(engineFor(upstream).stream(askFor(), never()));
    expect(deltas.at(-1)).toEqual({ kind: 'usage', usage: { promptTokens: 2, completionTokens: 2 } });
  });

  it('a server that has no such format is told in words from then on', async () => {
    const upstream = await startUpstream();
    upstream.answerWith((call, response) =>
      call.body.response_format
        ? json(response, 400, { error: { message: 'This response_format type is unavailable now' } })
        : json(response, 200, textAnswer('{}')),
    );
    const engine = engineFor(upstream);
    const format = { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true } as const;
    for (let time = 0; time < 2; time++) await ask(engine, { format });
    expect(upstream.calls).toHaveLength(3);
    expect(upstream.calls.at(-1)?.body.messages).toEqual([
      { role: 'system', content: expect.stringContaining('{"type":"object"}') },
      { role: 'user', content: 'hello' },
    ]);
  });
});

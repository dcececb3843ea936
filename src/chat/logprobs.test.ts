import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import {
  askFor,
  type ChatServer,
  deltaChunk,
  engineFor,
  events,
  hello,
  json,
  never,
  readEvents,
  type ScriptedUpstream,
  serveScripted,
  startUpstream,
  textAnswer,
  usageChunk,
} from './chat-for-tests.ts';

let upstream: ScriptedUpstream;
let server: ChatServer;
beforeAll(async () => {
  ({ upstream, server } = await serveScripted());
});

type Token = { token: string; token_id: number; top_logprobs: Token[] };
type Body = { choices: { logprobs?: { content: Token[] }; prompt_logprobs?: { content: Token[] } }[] };

const post = (fields: object) => call(server, '/v1/chat/completions', { body: { ...hello, ...fields } });
const choiceOf = ({ body }: { body: unknown }) => (body as Body).choices[0];

/** As OpenAI writes it: no ids, and `bytes` may be null. */
const openAi = (token: string, logprob: number, top: object[] = []) => ({
  token,
  logprob,
  bytes: null,
  top_logprobs: top,
});
const answerWith = (logprobs: object, rest: object = {}) =>
  upstream.answerWith((_call, response) => {
    const { choices, ...whole } = textAnswer('Hi') as unknown as { choices: object[] };
    json(response, 200, { ...whole, choices: [{ ...choices[0], logprobs }], ...rest });
  });

describe('log probabilities of a model server', () => {
  it('arrive in the form of the newest SDK, whose ids and bytes are never missing [CHAT-LOGPROBS]', async () => {
    answerWith({ content: [openAi('H', -0.5, [openAi('H', -0.5), openAi('é', -1.5)]), { ...openAi('i', -1), id: 9 }] });
    const answered = choiceOf(await post({ logprobs: true, top_logprobs: 2 }));
    const H = { token: 'H', logprob: -0.5, bytes: [72], token_id: -1 };
    expect(answered?.logprobs).toEqual({
      content: [
        { ...H, top_logprobs: [H, { token: 'é', logprob: -1.5, bytes: [195, 169], token_id: -1 }] },
        { token: 'i', logprob: -1, bytes: [105], token_id: 9 },
      ],
    });
    expect(upstream.calls.at(-1)?.body).toMatchObject({ logprobs: true, top_logprobs: 2 });
  });

  it('are in each chunk of a stream, and wait for the text that they belong to', async () => {
    const chunk = (content: string, tokens: string[], finish: string | null = null) => {
      const { choices, ...rest } = deltaChunk({ content }, finish) as { choices: object[] };
      const logprobs = { content: tokens.map((token) => openAi(token, -1)) };
      return { ...rest, choices: [{ ...choices[0], logprobs }] };
    };
    upstream.answerWith((_call, response) =>
      events(response, [chunk('', ['a']), chunk('ab', ['b']), chunk('c', ['c']), chunk('', ['d'], 'stop'), usageChunk]),
    );
    const { chunks } = readEvents((await post({ stream: true, logprobs: true })).text);
    const shown = chunks.flatMap(({ choices }) => choices as Body['choices']);
    expect(shown.map(({ logprobs }) => logprobs?.content.map(({ token }) => token).join())).toEqual([
      undefined,
      'a,b',
      'c',
      'd',
    ]);
  });

  it('are not sent to a client that did not ask, and cannot be asked for beyond the limits', async () => {
    answerWith({ content: [openAi('Hi', -1)] });
    expect(choiceOf(await post({}))).not.toHaveProperty('logprobs');
    expect(upstream.calls.at(-1)?.body).not.toHaveProperty('logprobs');
    expect((await post({ logprobs: true, top_logprobs: 21 })).status).toBe(422);
    expect(await post({ top_logprobs: 2 })).toMatchObject({ status: 400, body: { code: 'logprobs_missing' } });
    expect(await post({ top_prompt_logprobs: 2 })).toMatchObject({ status: 400, body: { code: 'logprobs_missing' } });
    expect(await post({ logprobs: true, top_logprobs: 20, n: 4 })).toMatchObject({
      status: 400,
      body: { code: 'list_too_long' },
    });
  });

  it('of a prompt are read from vLLM by the ids of its tokens', async () => {
    const place = (...tokens: [number, string, number][]) =>
      Object.fromEntries(
        tokens.map(([id, decoded_token, rank]) => [id, { logprob: -rank, rank, decoded_token }] as const),
      );
    const prompt_logprobs = [null, place([7, 'b', 1], [3, 'c', 2]), place([5, 'x', 1], [6, 'y', 2], [4, 'd', 30])];
    answerWith({}, { prompt_logprobs, prompt_token_ids: [1, 3, 4] });
    const answered = choiceOf(await post({ prompt_logprobs: true, top_prompt_logprobs: 2 }));
    expect(upstream.calls.at(-1)?.body).toMatchObject({ prompt_logprobs: 2, return_token_ids: true });
    const [second, third] = answered?.prompt_logprobs?.content ?? [];
    expect(second).toMatchObject({ token: 'c', token_id: 3, logprob: -2 });
    expect(second?.top_logprobs.map(({ token }) => token)).toEqual(['b', 'c']);
    expect(third).toMatchObject({ token: 'd', token_id: 4, top_logprobs: [{ token: 'x' }, { token: 'y' }] });
  });
});

describe('the newest settings', () => {
  it('reach a server under the names of vLLM, and a Mistral server under its own', async () => {
    const other = await startUpstream();
    const settings = {
      topK: 5,
      minTokens: 2,
      repetitionPenalty: 1.2,
      reasoningEffort: 'max',
      promptLogprobs: 3,
    } as const;
    const engine = engineFor(other);
    await engine.complete(askFor(settings), never());
    const words = { top_k: 5, min_tokens: 2, repetition_penalty: 1.2, reasoning_effort: 'max' };
    expect(other.calls[0]?.body).toMatchObject({ ...words, prompt_logprobs: 3, return_token_ids: true });
    other.answerWith((asked, response) =>
      'seed' in asked.body
        ? json(response, 422, { detail: [{ type: 'extra_forbidden', loc: ['body', 'seed'] }] })
        : json(response, 200, textAnswer('ok')),
    );
    await engine.complete(askFor({ ...settings, seed: 1 }), never());
    expect(other.calls.at(-1)?.body).toMatchObject({ ...words, prompt_logprobs: true, top_prompt_logprobs: 3 });
    expect(other.calls.at(-1)?.body).not.toHaveProperty('return_token_ids');
  });

  it('are taken from a chat with their limits, and -1 leaves every token [CHAT-SAMPLING]', async () => {
    upstream.answerWith((_call, response) => json(response, 200, textAnswer('ok')));
    const fields = { top_k: 4, min_tokens: 1, repetition_penalty: 1.1, reasoning_effort: 'max' };
    expect((await post({ ...fields, document_image_limit: 8, document_page_limit: 64 })).status).toBe(200);
    expect(upstream.calls.at(-1)?.body).toMatchObject(fields);
    expect((await post({ top_k: -1 })).status).toBe(200);
    expect(upstream.calls.at(-1)?.body).not.toHaveProperty('top_k');
    for (const bad of [{ top_k: -2 }, { min_tokens: -1 }, { repetition_penalty: 0 }, { document_page_limit: -1 }])
      expect((await post(bad)).status, JSON.stringify(bad)).toBe(422);
    expect(await post({ min_tokens: 9, max_tokens: 8 })).toMatchObject({
      status: 400,
      body: { code: 'min_tokens_too_large' },
    });
  });

  it('a resource of an MCP server is read as what it holds', async () => {
    const resource = { type: 'resource', uri: 'file:///a', content: { type: 'text', text: 'Inside.' } };
    const messages = [{ role: 'user', content: [resource, { type: 'resource_link', uri: 'https://a.example/b' }] }];
    expect((await post({ messages })).status).toBe(200);
    expect(upstream.calls.at(-1)?.body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Inside.' },
          { type: 'text', text: 'https://a.example/b' },
        ],
      },
    ]);
  });
});

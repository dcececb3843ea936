import { describe, expect, it } from 'vitest';
import { atEnd } from '../../../test/support/cleanup.ts';
import { json, type ScriptedUpstream, startUpstream } from '../../../test/support/upstream.ts';
import { createUpstreamEngine, type UpstreamEngineOptions } from './upstream-engine.ts';

const never = new AbortController().signal;
const usage = { prompt_tokens: 11, total_tokens: 11 };
const item = (index: number | undefined, embedding: unknown = [index, 1]) => ({
  object: 'embedding',
  index,
  embedding,
});

function engineFor(
  upstreams: ScriptedUpstream[],
  options: Partial<UpstreamEngineOptions> & { timeoutMs?: number } = {},
) {
  const { timeoutMs = 5000, ...rest } = options;
  const engine = createUpstreamEngine({
    targets: upstreams.map(({ url }) => ({ url, apiKey: 'upstream-secret', model: 'nomic', timeoutMs })),
    embeds: true,
    retry: { backoffMs: 1 },
    ...rest,
  });
  atEnd(() => engine.close());
  return async (texts: string[], signal = never, dimension?: number) => {
    const made = await engine.embed?.(texts, signal, dimension);
    return made && { ...made, vectors: made.vectors.map((vector) => [...vector]) };
  };
}

/** A server that answers with these items. */
async function answering(items: unknown[], more: Record<string, unknown> = { usage }) {
  const upstream = await startUpstream();
  upstream.answerWith((_call, response) => json(response, 200, { object: 'list', data: items, ...more }));
  return upstream;
}

/** Refuses with these statuses first, then answers for one text. */
async function failing(statuses: number[], text = '', headers: Record<string, string> = {}) {
  const upstream = await startUpstream();
  upstream.answerWith((_call, response) => {
    const status = statuses.shift();
    if (status === undefined) return json(response, 200, { data: [item(0)], usage });
    response.writeHead(status, headers).end(text);
  });
  return upstream;
}

describe('embeddings of an upstream', () => {
  it('are one request for all texts, with the server’s own count as the usage', async () => {
    const upstream = await answering([item(0), item(1)]);
    expect(await engineFor([upstream])(['a', 'b'])).toEqual({
      vectors: [
        [0, 1],
        [1, 1],
      ],
      promptTokens: 11,
    });
    expect(upstream.calls).toMatchObject([
      {
        path: '/v1/embeddings',
        headers: { authorization: 'Bearer upstream-secret' },
        body: { model: 'nomic', input: ['a', 'b'] },
      },
    ]);
    expect(Object.keys(upstream.calls[0]?.body ?? {})).toEqual(['model', 'input']);
  });

  it('stand beside their texts whatever order the server wrote them in', async () => {
    const upstream = await answering([item(2), item(0), item(1)]);
    expect((await engineFor([upstream])(['a', 'b', 'c']))?.vectors).toEqual([
      [0, 1],
      [1, 1],
      [2, 1],
    ]);
    const unnumbered = await answering([item(undefined, [5]), item(undefined, [6])]);
    expect((await engineFor([unnumbered])(['a', 'b']))?.vectors).toEqual([[5], [6]]);
  });

  it.each<[string, unknown[]]>([
    ['too few', [item(0)]],
    ['too many', [item(0), item(1), item(2)]],
    ['two for one text', [item(0), item(0)]],
    ['a place that is none', [item(0), item(7)]],
    ['different lengths', [item(0, [1]), item(1, [1, 2])]],
    ['an empty vector', [item(0, []), item(1, [])]],
    ['a hole', [item(0, [1, null]), item(1, [1, 2])]],
    ['text for numbers', [item(0, 'AAAA'), item(1, 'AAAA')]],
    ['nothing', [null, null]],
  ])('%s is an answer we do not know', async (_name, items) => {
    await expect(engineFor([await answering(items)])(['a', 'b'])).rejects.toMatchObject({ status: 502 });
  });

  it('without a count are counted by their characters', async () => {
    expect((await engineFor([await answering([item(0)], {})])(['12345']))?.promptTokens).toBe(2);
  });

  it.each([429, 502, 503, 504])('%d is tried again', async (status) => {
    const upstream = await failing([status, status]);
    expect((await engineFor([upstream])(['a']))?.vectors).toEqual([[0, 1]]);
    expect(upstream.calls).toHaveLength(3);
  });

  it('come from the next server when the first is sick, and from none when the request is wrong', async () => {
    const [sick, healthy] = [await failing(Array(9).fill(500)), await failing([])];
    expect((await engineFor([sick, healthy])(['a']))?.vectors).toEqual([[0, 1]]);
    const [refusing, other] = [await failing([400]), await failing([])];
    await expect(engineFor([refusing, other])(['a'])).rejects.toMatchObject({ status: 400 });
    expect(other.calls).toHaveLength(0);
  });

  it.each<[number, string, number, string]>([
    [400, 'sk-secret at 10.0.0.7', 400, 'does not accept'],
    [413, '', 400, 'context length'],
    [400, 'input is too large for model', 400, 'context length'],
    [401, '', 502, 'api_key'],
    [404, '', 502, 'upstream_model'],
    [500, '', 503, 'failed'],
    [501, 'This server does not support embeddings', 400, 'does not accept'],
  ])('%d %s becomes %d in our words', async (status, text, ours, words) => {
    const upstream = await failing([status], text);
    const error = await engineFor([upstream])(['a']).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: ours, message: expect.stringContaining(words) });
    expect(String(error)).not.toContain('10.0.0.7');
    expect(upstream.calls).toHaveLength(1);
  });

  it('open the breaker when the server fails again and again', async () => {
    const upstream = await failing(Array(9).fill(500));
    const embed = engineFor([upstream], { breaker: { failuresMax: 2 } });
    for (let time = 0; time < 3; time++) await expect(embed(['a'])).rejects.toMatchObject({ status: 503 });
    expect(upstream.calls).toHaveLength(2);
  });

  it('that do not come in time are a 504, and a client that leaves ends them', async () => {
    const upstream = await startUpstream();
    upstream.answerWith(() => undefined);
    await expect(engineFor([upstream], { timeoutMs: 50 })(['a'])).rejects.toMatchObject({
      status: 504,
      message: expect.stringContaining('too long'),
    });
    const leaving = new AbortController();
    const closed = new Promise((resolve) => {
      upstream.answerWith((_call, response) => {
        response.on('close', resolve);
        leaving.abort();
      });
    });
    await expect(engineFor([upstream])(['a'], leaving.signal)).rejects.toMatchObject({ name: 'AbortError' });
    await closed;
  });

  it('that break off are a 502 and count against the server', async () => {
    const upstream = await startUpstream();
    upstream.answerWith((_call, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"data":[', () => response.destroy());
    });
    const embed = engineFor([upstream], { breaker: { failuresMax: 1 } });
    await expect(embed(['a'])).rejects.toMatchObject({ status: 502, message: expect.stringContaining('broke off') });
    await expect(embed(['a'])).rejects.toMatchObject({ status: 503, message: expect.stringContaining('in a row') });
    expect(upstream.calls).toHaveLength(1);
  });
});

describe('the length that is wanted', () => {
  it('goes along as dimensions', async () => {
    const upstream = await answering([item(0)]);
    await engineFor([upstream])(['a'], never, 2);
    expect(upstream.calls[0]?.body).toEqual({ model: 'nomic', input: ['a'], dimensions: 2 });
  });

  it('is named as a server wants it that refuses unknown fields', async () => {
    const upstream = await startUpstream();
    upstream.answerWith((call, response) =>
      'dimensions' in call.body
        ? json(response, 422, { detail: [{ type: 'extra_forbidden', loc: ['body', 'dimensions'] }] })
        : json(response, 200, { data: [item(0)], usage }),
    );
    const embed = engineFor([upstream]);
    for (let time = 0; time < 2; time++) await embed(['a'], never, 2);
    expect(upstream.calls.map(({ body }) => [body.dimensions, body.output_dimension])).toEqual([
      [2, undefined],
      [undefined, 2],
      [undefined, 2],
    ]);
  });

  it('is left out where it cannot be had', async () => {
    const upstream = await startUpstream();
    upstream.answerWith((call, response) =>
      'dimensions' in call.body
        ? json(response, 400, { message: 'Model "x" does not support matryoshka representation' })
        : json(response, 200, { data: [item(0)], usage }),
    );
    expect((await engineFor([upstream])(['a'], never, 1))?.vectors).toEqual([[0, 1]]);
    expect(upstream.calls.map(({ body }) => body.dimensions)).toEqual([1, undefined]);
  });
});

it('a model that writes does not embed', () => {
  expect(createUpstreamEngine({ targets: [] }).embed).toBeUndefined();
});

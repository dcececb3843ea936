import { describe, expect, it } from 'vitest';
import type { ChatRequest, Engine } from '../engines/index.ts';
import {
  askFor,
  collect,
  completion,
  deltaChunk,
  engineFor,
  json,
  never,
  type ScriptedUpstream,
  startUpstream,
} from './chat-for-tests.ts';

const ask = (engine: Engine, over: Partial<ChatRequest> = {}) => engine.complete(askFor(over), never());

/** Answers the given statuses one after the other, then properly. */
function failing(upstream: ScriptedUpstream, statuses: number[], headers: Record<string, string> = {}): void {
  const left = [...statuses];
  upstream.answerWith((_call, response) => {
    const status = left.shift();
    if (status === undefined) return json(response, 200, completion('at last'));
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end('{"error":{"message":"sk-upstream-secret at 10.0.0.7"}}');
  });
}

describe('retries', () => {
  it.each([429, 502, 503, 504])('%d is tried again', async (status) => {
    const upstream = await startUpstream();
    failing(upstream, [status, status]);
    const answer = await ask(engineFor(upstream));
    expect(answer.choices[0]?.text).toBe('at last');
    expect(upstream.calls).toHaveLength(3);
  });

  it.each([400, 401, 404, 422, 500, 501])('%d is not tried again', async (status) => {
    const upstream = await startUpstream();
    failing(upstream, [status]);
    await expect(ask(engineFor(upstream))).rejects.toThrow();
    expect(upstream.calls).toHaveLength(1);
  });

  it('a kept connection that breaks before the answer is replaced', async () => {
    const upstream = await startUpstream();
    const engine = engineFor(upstream);
    await ask(engine);
    upstream.answerWith((_call, response) =>
      upstream.calls.length === 2 ? void response.destroy() : json(response, 200, completion('at last')),
    );
    expect((await ask(engine)).choices[0]?.text).toBe('at last');
    expect(upstream.calls).toHaveLength(3);
  });

  it('end after the configured number', async () => {
    const upstream = await startUpstream();
    failing(upstream, Array(10).fill(503));
    await expect(ask(engineFor(upstream, { retry: { retriesMax: 1, backoffMs: 1 } }))).rejects.toMatchObject({
      status: 503,
    });
    expect(upstream.calls).toHaveLength(2);
  });

  it('wait as long as Retry-After says, and do not wait when that is too long [CHAT-429-BODY]', async () => {
    const upstream = await startUpstream();
    failing(upstream, Array(10).fill(429), { 'retry-after': '60' });
    await expect(ask(engineFor(upstream))).rejects.toMatchObject({
      status: 429,
      type: 'rate_limited',
      wireCode: '1300',
      headers: { 'retry-after': '60' },
    });
    expect(upstream.calls).toHaveLength(1);
    const patient = await startUpstream();
    failing(patient, [429], { 'retry-after': '1' });
    const before = performance.now();
    await ask(engineFor(patient));
    expect(performance.now() - before).toBeGreaterThanOrEqual(990);
  });

  it('do not happen once the answer has begun', async () => {
    const upstream = await startUpstream();
    upstream.answerWith((_call, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(deltaChunk({ content: 'half' }))}\n\n`, () => response.destroy());
    });
    await expect(collect(engineFor(upstream).stream(askFor(), never()))).rejects.toMatchObject({ status: 502 });
    expect(upstream.calls).toHaveLength(1);
  });

  it('stop when the client leaves', async () => {
    const upstream = await startUpstream();
    const leave = new AbortController();
    upstream.answerWith((_call, response) => {
      json(response, 503, {});
      setImmediate(() => leave.abort());
    });
    const engine = engineFor(upstream, { retry: { backoffMs: 60_000 } });
    await expect(engine.complete(askFor(), leave.signal)).rejects.toThrow();
    expect(upstream.calls).toHaveLength(1);
  });
});

describe('fallbacks', () => {
  it.each([500, 503, 429, 401, 404])('the next target is asked when the first says %d', async (status) => {
    const [first, second] = [await startUpstream(), await startUpstream()];
    failing(first, Array(10).fill(status));
    const answer = await ask(engineFor([first, second]));
    expect(answer.choices[0]?.text).toBe('You said: hello');
    expect(second.calls).toHaveLength(1);
  });

  it('the next target is asked when the first cannot be reached or keeps silent', async () => {
    const [silent, last] = [await startUpstream(), await startUpstream()];
    silent.answerWith(() => {});
    const answer = await ask(engineFor(['http://127.0.0.1:1/v1', silent, last], { timeoutMs: 100 }));
    expect(answer.choices[0]?.text).toBe('You said: hello');
    expect(silent.calls).toHaveLength(1);
  });

  it('a request that is wrong itself goes to no other', async () => {
    const [first, second] = [await startUpstream(), await startUpstream()];
    failing(first, [400]);
    await expect(ask(engineFor([first, second]))).rejects.toMatchObject({ status: 400 });
    expect(second.calls).toHaveLength(0);
  });
});

describe('the circuit breaker', () => {
  it('spares a server that fails, says how long, and closes when a probe succeeds', async () => {
    const upstream = await startUpstream();
    const clock = { now: 0 };
    failing(upstream, [500, 500]);
    const engine = engineFor(upstream, { now: () => clock.now, breaker: { failuresMax: 2, openMs: 7000 } });
    await expect(ask(engine)).rejects.toMatchObject({ status: 503 });
    await expect(ask(engine)).rejects.toMatchObject({ status: 503 });
    await expect(ask(engine)).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '7' } });
    expect(upstream.calls).toHaveLength(2);
    expect(engine.state()).toEqual({ kind: 'waiting', reason: expect.any(String), retryAfterSeconds: 7 });
    clock.now = 7000;
    expect((await ask(engine)).choices[0]?.text).toBe('at last');
    expect(engine.state()).toEqual({ kind: 'ready' });
  });

  it('does not open for mistakes of the client or limits of the server', async () => {
    const upstream = await startUpstream();
    failing(upstream, [400, 400, 429, 429]);
    const engine = engineFor(upstream, { breaker: { failuresMax: 1 }, retry: { retriesMax: 0 } });
    for (let attempt = 0; attempt < 4; attempt++) await ask(engine).catch(() => {});
    expect((await ask(engine)).choices[0]?.text).toBe('at last');
  });
});

describe('failures in our words', () => {
  const rows: [number, string, number, string][] = [
    [400, '{"error":"bad"}', 400, 'does not accept this request'],
    [400, '{"error":{"code":"context_length_exceeded"}}', 400, 'context length'],
    [400, '{"message":"This model\'s maximum context length is 4096 tokens"}', 400, 'context length'],
    [413, '', 400, 'context length'],
    [401, '', 502, 'api_key'],
    [403, '', 502, 'api_key'],
    [404, '{"error":"model not found"}', 502, 'upstream_model'],
    [302, '', 502, 'url'],
    [429, '', 429, 'Rate limit exceeded'],
    [500, '', 503, 'failed'],
    [529, '', 503, 'failed'],
  ];
  it.each(rows)('%d %s becomes %d', async (status, body, ours, sentence) => {
    const upstream = await startUpstream();
    upstream.answerWith((_call, response) => void response.writeHead(status).end(body));
    const engine = engineFor(upstream, { retry: { retriesMax: 0 } });
    await expect(ask(engine)).rejects.toMatchObject({ status: ours, message: expect.stringContaining(sentence) });
  });

  it.each(['<html>10.0.0.7</html>', '{"choices":[]}', '{"id":1}', 'null', ''])('%j is not an answer', async (body) => {
    const upstream = await startUpstream();
    upstream.answerWith((_call, response) => void response.writeHead(200).end(body));
    await expect(ask(engineFor(upstream))).rejects.toMatchObject({ status: 502 });
  });

  it('a server that cannot be reached is a 503 that does not name it', async () => {
    const failure = await ask(engineFor('http://127.0.0.1:1/v1')).catch((error: Error) => error);
    expect(failure).toMatchObject({ status: 503 });
    expect(JSON.stringify([(failure as Error).message, String((failure as Error).cause)])).not.toContain('127.0.0.1');
  });

  it('a pause that is too long ends the stream', async () => {
    const upstream = await startUpstream();
    upstream.answerWith((_call, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(deltaChunk({ content: 'half' }))}\n\n`);
    });
    const stream = engineFor(upstream, { timeoutMs: 200 }).stream(askFor(), never());
    await expect(collect(stream)).rejects.toMatchObject({ status: 502 });
  });
});

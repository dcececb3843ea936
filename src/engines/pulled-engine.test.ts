import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../kit/http/index.ts';
import type { ChatRequest, Engine } from './engine.ts';
import { createPulledEngine } from './pulled-engine.ts';

const request: ChatRequest = {
  messages: [],
  tools: [],
  toolChoice: 'auto',
  parallelToolCalls: true,
  format: { type: 'text' },
  choices: 1,
  stop: [],
};
const completion = {
  choices: [{ text: 'hi', toolCalls: [], finish: 'stop' as const }],
  usage: { promptTokens: 1, completionTokens: 1 },
};
const signal = new AbortController().signal;

/** An engine at the far side of the border: what matters here is when it is opened. */
function open(file: string): Engine {
  return {
    complete: async () => completion,
    async *stream() {
      yield [{ kind: 'text' as const, choice: 0, text: file }];
    },
    embed: async () => {
      throw new ApiError(400, 'no');
    },
    state: () => ({ kind: 'ready' }),
    close: async () => undefined,
  };
}

function create(options: {
  find?: () => Promise<string | undefined>;
  fetch?: (() => Promise<string>) | undefined;
  waitMs?: number;
}) {
  return createPulledEngine<string>({
    name: 'tiny',
    offers: {},
    find: async () => undefined,
    fetch: undefined,
    describe: () => '3 of 9 MB',
    open,
    log: pino({ level: 'silent' }),
    ...options,
  });
}

async function refusal(work: Promise<unknown>): Promise<ApiError> {
  const error = await work.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}

describe('an engine that only looks for installed weights', () => {
  it('fetches nothing until a request needs it', async () => {
    let fetches = 0;
    const engine = create({
      fetch: async () => {
        fetches += 1;
        return 'fetched';
      },
    });
    await engine.prepare({ onlyInstalled: true });
    expect([fetches, engine.current(), engine.state().kind]).toEqual([0, undefined, 'waiting']);
    expect(engine.state()).toMatchObject({ reason: expect.stringContaining('when a request first needs them') });
    expect(await engine.complete(request, signal)).toEqual(completion);
    expect(fetches).toBe(1);
  });

  it('is ready where they are installed, and says what is missing where nothing may be fetched', async () => {
    const installed = create({ find: async () => 'here' });
    await installed.prepare({ onlyInstalled: true });
    expect(installed.state()).toEqual({ kind: 'ready' });
    const manual = create({});
    await manual.prepare({ onlyInstalled: true });
    expect(manual.state()).toMatchObject({ kind: 'failed', reason: expect.stringContaining('tramontane pull tiny') });
  });
});

describe('an engine whose weights', () => {
  it('are here opens at the first request', async () => {
    const engine = create({ find: async () => 'file' });
    expect(await engine.complete(request, signal)).toBe(completion);
    expect(engine.state()).toEqual({ kind: 'ready' });
  });

  it('arrive while a request waits answers it', async () => {
    let arrive: (file: string) => void = () => undefined;
    const engine = create({ fetch: () => new Promise((resolve) => (arrive = resolve)) });
    const waiting = engine.stream(request, signal)[Symbol.asyncIterator]().next();
    setImmediate(() => arrive('late'));
    expect(await waiting).toMatchObject({ value: [{ text: 'late' }] });
  });

  it('are too long on their way is a 503 that says how far they are and when to come back', async () => {
    const engine = create({ fetch: () => new Promise(() => undefined), waitMs: 5 });
    const error = await refusal(engine.complete(request, signal));
    expect([error.status, error.headers['retry-after']]).toEqual([503, '10']);
    expect(error.message).toContain('3 of 9 MB');
    expect(engine.state()).toMatchObject({ kind: 'waiting' });
  });

  it('are nowhere and may not be fetched is a 503 that names the command', async () => {
    const error = await refusal(create({}).complete(request, signal));
    expect(error).toMatchObject({ status: 503, message: expect.stringContaining('tramontane pull tiny') });
  });

  it('could not be fetched says why, and the next request tries again', async () => {
    let tries = 0;
    const engine = create({
      fetch: async () => {
        if (tries++ === 0) throw new Error('no source answers');
        return 'file';
      },
    });
    expect((await refusal(engine.complete(request, signal))).message).toContain('no source answers');
    expect(await engine.complete(request, signal)).toBe(completion);
  });

  it('are on their way do not hold a client that leaves', async () => {
    const leave = new AbortController();
    const engine = create({ fetch: () => new Promise(() => undefined) });
    const waiting = engine.complete(request, leave.signal);
    leave.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
  });
});

import pino from 'pino';
import { expect, it } from 'vitest';
import type { SseEvent } from '../../kit/http/index.ts';
import { createPulls, type Weights } from './pulls.ts';

const log = pino({ level: 'silent' });

type Step = Parameters<Parameters<Weights['pull']>[1]>[0];

/** Weights whose download the test controls. */
function scripted() {
  let step: (progress: Step) => void = () => undefined;
  let end: (error?: Error) => void = () => undefined;
  let begun = 0;
  const entry = { purpose: 'chat', summary: '', licence: 'MIT', bytes: 100, memory_bytes: 1, speed: 'fast' };
  const weights: Weights = {
    catalogue: () => [
      { id: 'small', ...entry },
      { id: 'large', ...entry },
    ],
    installed: async () => [],
    neededBy: () => undefined,
    pull: (_model, onProgress, signal) => {
      begun++;
      step = onProgress;
      return new Promise((resolve, reject) => {
        end = (error) => (error ? reject(error) : resolve());
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
  };
  return { weights, step: (progress: Step) => step(progress), end: (error?: Error) => end(error), begun: () => begun };
}

async function next(events: AsyncIterator<SseEvent | string>): Promise<unknown> {
  const { value, done } = await events.next();
  return done ? 'over' : (value as SseEvent).data;
}

it('a fetch is told step by step to everybody who follows, begins once, and ends the stream', async () => {
  const { weights, step, end, begun } = scripted();
  const pulls = createPulls(weights, log);
  const first = pulls.start('small');
  expect(first).toEqual({
    model: 'small',
    state: 'running',
    bytes: 0,
    total_bytes: 100,
    message: 'looking for a source',
  });
  expect(pulls.start('small')).toBe(first);
  expect(begun()).toBe(1);
  const readers = [0, 1].map(() => pulls.follow(new AbortController().signal).events[Symbol.asyncIterator]());
  for (const reader of readers) expect(await next(reader)).toEqual(first);
  const waiting = readers.map((reader) => next(reader));
  const half = { bytes: 50, total_bytes: 100, message: '50 of 100' };
  step(half);
  expect(await Promise.all(waiting)).toEqual([0, 1].map(() => ({ model: 'small', state: 'running', ...half })));
  const last = readers.map((reader) => next(reader));
  end();
  expect(await Promise.all(last)).toEqual([0, 1].map(() => expect.objectContaining({ state: 'done', bytes: 100 })));
  for (const reader of readers) expect(await next(reader)).toBe('over');
  expect(pulls.list()).toMatchObject([{ model: 'small', state: 'done' }]);
});

it('a fetch that fails says why and can begin again; a stopping server ends it', async () => {
  const { weights, end, begun } = scripted();
  const pulls = createPulls(weights, log);
  pulls.start('small');
  end(new Error('No source has it.'));
  await expect.poll(() => pulls.list()).toMatchObject([{ state: 'failed', message: 'No source has it.' }]);
  pulls.start('small');
  expect(begun()).toBe(2);
  await pulls.stop();
  expect(pulls.list()).toMatchObject([{ state: 'failed' }]);
});

it('a reader who leaves is forgotten', async () => {
  const { weights } = scripted();
  const pulls = createPulls(weights, log);
  pulls.start('large');
  const leaving = new AbortController();
  const reader = pulls.follow(leaving.signal).events[Symbol.asyncIterator]();
  await next(reader);
  const waiting = next(reader);
  leaving.abort();
  expect(await waiting).toBe('over');
});

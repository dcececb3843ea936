import { expect, it, onTestFinished } from 'vitest';
import { createLog } from '../../kit/base/log.ts';
import type { SlowRequest } from './slow-child-for-tests.ts';
import { startChild } from './start-child.ts';

const never = new AbortController().signal;
const STEP_MS = 300;

async function ask(request: SlowRequest, yields: boolean): Promise<string> {
  const child = startChild<object, SlowRequest, string>({
    name: 'slow',
    log: createLog('silent'),
    entry: new URL('./slow-child-for-tests.ts', import.meta.url),
    variables: [],
    settings: {},
    stepMs: STEP_MS,
    yields,
    endMs: 0,
  });
  onTestFinished(() => child.end());
  for await (const [part] of child.request(request, never)) return part ?? '';
  return '';
}

// Waiting stands for the time that a busy machine gives to others.
const isCounted = process.platform === 'linux';

it.runIf(isCounted)('a child that yields gets the time again in which it computed nothing', async () => {
  expect(await ask({ computesMs: 0, waitsMs: 2 * STEP_MS }, true)).toBe('done');
});

it('one that computes too long is ended, and so is one that never ends', async () => {
  await expect(ask({ computesMs: 20 * STEP_MS, waitsMs: 0 }, true)).rejects.toMatchObject({ killed: 'slow' });
  await expect(ask({ computesMs: 0, waitsMs: 20 * STEP_MS }, true)).rejects.toMatchObject({ killed: 'slow' });
});

it('for one that does not yield only the clock counts', async () => {
  await expect(ask({ computesMs: 0, waitsMs: 2 * STEP_MS }, false)).rejects.toMatchObject({ killed: 'slow' });
});

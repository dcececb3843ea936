import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLog } from '../../kit/base/log.ts';
import { superviseChild } from '../process/supervise-child.ts';
import { requestInnocently } from './request-innocently.ts';

const never = new AbortController().signal;

async function readAll(parts: AsyncIterable<string[]>): Promise<string[]> {
  const all: string[] = [];
  for await (const arrived of parts) all.push(...arrived);
  return all;
}

test('a request that holds up its process is refused, and the others are answered by the next process', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tramontane-stuck-'));
  const child = superviseChild<{ mark: string }, string, string>({
    name: 'stuck',
    subject: 'The model',
    log: createLog('silent'),
    entry: new URL('./stuck-child-for-tests.ts', import.meta.url),
    variables: [],
    settings: { mark: join(directory, 'mark') },
  });
  try {
    await child.warm();
    const innocent = readAll(requestInnocently(child, 'innocent', never, {}));
    const begun = requestInnocently(child, 'begun', never, {});
    expect(await begun.next()).toMatchObject({ value: ['so far'] });
    const culprit = readAll(requestInnocently(child, 'culprit', never, {}));
    await expect(culprit).rejects.toMatchObject({ status: 400, code: 'grammar_too_slow' });
    // What a client has seen a part of cannot be made again.
    await expect(begun.next()).rejects.toMatchObject({ status: 503, code: 'engine_stopped' });
    expect(await innocent).toEqual(['an answer']);
  } finally {
    await child.close();
    rmSync(directory, { recursive: true });
  }
});

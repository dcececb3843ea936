import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { firstLine } from '../../../test/support/first-line.ts';
import { serveHuggingFace, sha256Of } from './huggingface-for-tests.ts';
import type { Progress } from './progress.ts';
import { pull } from './pull.ts';

const root = mkdtempSync(join(tmpdir(), 'tramontane-processes-'));
const server = await serveHuggingFace();
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});
const content = Buffer.concat([Buffer.from('GGUF'), Buffer.alloc(400_000, 7)]);
server.files.set('/owner/model/resolve/main/model.gguf', content);
const optionsFor = (modelsDir: string) => ({
  model: 'owner/model:model.gguf',
  modelsDir,
  environment: {},
  huggingFace: { baseUrl: server.baseUrl },
  limits: { idleMs: 60_000 },
});

/** Another process that pulls the same file and hangs in the middle of it. */
async function stalledPuller(modelsDir: string) {
  server.moods.push('stalls');
  const script = `
    import { pull } from ${JSON.stringify(new URL('pull.ts', import.meta.url).href)};
    let nowMs = 0;
    const onProgress = ({ doneBytes }) => doneBytes > 0 && console.log(doneBytes);
    await pull({ ...${JSON.stringify(optionsFor(modelsDir))}, onProgress, now: () => (nowMs += 1000) });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await firstLine(child);
  return child;
}

describe('two processes that pull one file', () => {
  it('take turns: when the first is killed, the second goes on where it was', async () => {
    const modelsDir = mkdtempSync(join(root, 'models-'));
    const other = await stalledPuller(modelsDir);
    expect(existsSync(join(modelsDir, 'model.gguf.lock'))).toBe(true);
    const waits = Promise.withResolvers<void>();
    const onProgress = ({ phase }: Progress) => phase === 'waiting' && waits.resolve();
    const second = pull({ ...optionsFor(modelsDir), onProgress });
    await waits.promise;
    expect(server.ranges).toHaveLength(1);
    other.kill('SIGKILL');
    expect((await second).sha256).toBe(sha256Of(content));
    expect(server.ranges[1]).toMatch(/^bytes=\d+-$/);
    expect(readdirSync(modelsDir)).toEqual(['model.gguf']);
  });
});

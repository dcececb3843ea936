import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { catalogue, DEFAULT_CHAT_ID, DEFAULT_EMBEDDINGS_ID, findCatalogueEntry } from './catalogue.ts';
import { find, list, remove } from './installed.ts';

const root = mkdtempSync(join(tmpdir(), 'tramontane-installed-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Files as long as the real ones, made of holes. */
function dirWith(ids: string[], others: string[] = []): string {
  const dir = mkdtempSync(join(root, 'models-'));
  for (const { name, bytes } of ids.flatMap((id) => findCatalogueEntry(id)?.files ?? [])) {
    writeFileSync(join(dir, name), '');
    truncateSync(join(dir, name), bytes);
  }
  for (const name of others) writeFileSync(join(dir, name), 'GGUF');
  return dir;
}

describe('the list', () => {
  it('has the whole models of the catalogue and any other GGUF', async () => {
    const dir = dirWith(
      [DEFAULT_CHAT_ID, DEFAULT_EMBEDDINGS_ID],
      ['Mine.Q4.gguf', 'notes.txt', 'half.gguf.url.partial'],
    );
    const models = await list(dir);
    expect(models.map(({ id, purpose }) => [id, purpose])).toEqual([
      [DEFAULT_CHAT_ID, 'chat'],
      [DEFAULT_EMBEDDINGS_ID, 'embeddings'],
      ['mine.q4', 'chat'],
    ]);
    expect(models[1]?.files).toHaveLength(2);
    expect(models[0]).toMatchObject({ bytes: 98_362_432, entry: catalogue[0] });
  });

  it('has no model that lacks a file or a byte', async () => {
    const dir = dirWith([DEFAULT_CHAT_ID, DEFAULT_EMBEDDINGS_ID]);
    const [model, tokenizer] = findCatalogueEntry(DEFAULT_EMBEDDINGS_ID)?.files ?? [];
    rmSync(join(dir, tokenizer?.name ?? ''));
    truncateSync(join(dir, 'SmolLM2-135M-Instruct.Q4_1.gguf'), 5);
    expect(await list(dir)).toEqual([]);
    expect(await find(dir, DEFAULT_EMBEDDINGS_ID)).toBeUndefined();
    expect(readdirSync(dir)).toContain(model?.name);
  });

  it('is empty where there is no models dir yet', async () => {
    expect(await list(join(root, 'nowhere'))).toEqual([]);
  });

  it('knows a model by its id, in any case', async () => {
    const dir = dirWith([], ['Mine.Q4.gguf']);
    expect((await find(dir, 'MINE.q4'))?.file).toBe(join(dir, 'Mine.Q4.gguf'));
  });
});

describe('remove', () => {
  it('deletes the model, its companions and its halves, and nothing else', async () => {
    const dir = dirWith(
      [DEFAULT_EMBEDDINGS_ID],
      ['mine.gguf', 'mine.gguf.url.partial', 'mine.gguf.url.partial.json', 'mine.gguf.bak'],
    );
    mkdirSync(join(dir, 'mine.gguf.pip.work'));
    expect(await remove(dir, DEFAULT_EMBEDDINGS_ID)).toBe(22_928_619 + 466_247);
    expect(await remove(dir, 'mine')).toBeGreaterThanOrEqual(12);
    expect(readdirSync(dir)).toEqual(['mine.gguf.bak']);
  });

  it('answers undefined when there is nothing', async () => {
    expect(await remove(dirWith([]), DEFAULT_CHAT_ID)).toBeUndefined();
    expect(await remove(dirWith([]), '../../etc/passwd')).toBeUndefined();
  });

  it('refuses while the model is being pulled', async () => {
    const dir = dirWith([DEFAULT_CHAT_ID]);
    const holder = { pid: process.ppid, host: hostname(), token: 't' };
    writeFileSync(join(dir, 'SmolLM2-135M-Instruct.Q4_1.gguf.lock'), JSON.stringify(holder));
    await expect(remove(dir, DEFAULT_CHAT_ID)).rejects.toThrow(`being pulled by process ${process.ppid}`);
  });
});

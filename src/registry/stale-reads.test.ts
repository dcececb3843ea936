import { beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../test/support/databases.ts';
import { rounds } from '../../test/support/rounds.ts';
import { uuid } from '../kit/base/ids.ts';
import type { Database } from '../kit/db/index.ts';
import { newScope, openRegistry } from './registry-for-tests.ts';

const WRITERS = 20;
const READERS = 20;
const MOVES = rounds(2, 5);

onEachDatabase('an alias that is moved', (test) => {
  let here: Database;
  let there: Database;
  beforeAll(async () => {
    here = await test.open();
    // On PostgreSQL a second pool, like that of another process; SQLite belongs to one process.
    there = test.kind === 'postgres' ? await test.open() : here;
    return () => Promise.all([here.close(), there === here ? undefined : there.close()]);
  });

  it('is read at its new version as soon as the move is acknowledged, by 20 readers beside 20 writers [PROMPTS-ALIAS-NOT-STALE]', async () => {
    const kind = uuid();
    const processes = [openRegistry(here, kind).registry, openRegistry(there, kind).registry];
    const ann = newScope();
    const at = (index: number) => processes[index % 2] ?? openRegistry(here, kind).registry;
    await at(0).create(ann, { name: 'a', definition: 0, aliases: ['main'] });

    // Each new version moves the alias to itself, so its numbers only grow: a reader must never see a lower number
    // than the highest one acknowledged before its read.
    let acknowledged = 1;
    let isWriting = true;
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      for (let move = 0; move < MOVES; move++) {
        const definition = `${writer}:${move}`;
        const { version } = await at(writer).createVersion(ann, 'a', { definition, aliases: ['main'] });
        acknowledged = Math.max(acknowledged, version);
      }
    });
    let reads = 0;
    const readers = Array.from({ length: READERS }, async (_, reader) => {
      while (isWriting) {
        const least = acknowledged;
        const registry = at(reader);
        const selector = { alias: 'main' };
        const { value } = registry.readCached(ann, 'a', selector) ?? (await registry.read(ann, 'a', selector));
        expect(value.version).toBeGreaterThanOrEqual(least);
        expect(value.aliases).toEqual(['main']);
        reads++;
        await new Promise(setImmediate);
      }
    });
    await Promise.all(writers).finally(() => {
      isWriting = false;
    });
    await Promise.all(readers);
    expect(acknowledged).toBe(1 + WRITERS * MOVES);
    expect(reads).toBeGreaterThan(READERS);
  });
});

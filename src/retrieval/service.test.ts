import { readFileSync } from 'node:fs';
import SqliteConnection from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEachDatabase } from '../../test/support/databases.ts';
import type { Database } from '../kit/db/index.ts';
import type { NewDocument, RetrievalService, SearchRequest } from './index.ts';
import { callerForTests, chunkForTests, retrievalForTests } from './retrieval-for-tests.ts';

onEachDatabase('what is indexed of documents', (testDatabase) => {
  let database: Database;
  let retrieval: RetrievalService;
  beforeAll(async () => {
    database = await testDatabase.open();
    retrieval = retrievalForTests(database).service;
    await retrieval.start();
  });
  afterAll(() => retrieval.stop());

  const put = (collectionId: string, documentId: string, texts: string[], more: Partial<NewDocument> = {}) =>
    retrieval.put({
      organizationId: 'o1',
      workspaceId: 'w1',
      collectionId,
      documentId,
      title: '',
      language: null,
      attributes: {},
      chunks: texts.map((text, i) => chunkForTests(i, text)),
      ...more,
    });
  const search = async (collectionId: string, query: string, more: Partial<SearchRequest> = {}) =>
    retrieval.search({
      collections: [{ workspaceId: 'w1', collectionId }],
      query,
      limit: 10,
      mode: 'hybrid',
      caller: callerForTests('w1'),
      ...more,
    });
  const found = async (...parameters: Parameters<typeof search>) =>
    (await search(...parameters)).map(({ chunkId }) => chunkId);

  it('words find chunks as soon as a document is there, and meanings once it is embedded', async () => {
    await put('first', 'd1', ['The automobile needs new tyres.', 'The physician was late.']);
    expect(await found('first', 'tyre', { mode: 'text' })).toEqual(['d1:0']);
    await retrieval.idle();
    const [best] = await search('first', 'car', { mode: 'vector' });
    expect(best).toMatchObject({ chunkId: 'd1:0', scores: { text: null, vector: expect.any(Number) } });
    const [both] = await search('first', 'car with new tyres');
    expect(both).toMatchObject({
      chunkId: 'd1:0',
      documentId: 'd1',
      collectionId: 'first',
      scores: { text: expect.any(Number), vector: expect.any(Number), rerank: null },
    });
    const progress = await retrieval.progress({ workspaceId: 'w1', collectionId: 'first', documentIds: ['d1', 'd2'] });
    expect(progress).toEqual(new Map([['d1', { chunks: 2, embedded: 2 }]]));
  });

  it('a chunk knows the one that holds it, whatever their positions', async () => {
    const chunks = [chunkForTests(10, 'chapter'), chunkForTests(20, 'plum', { parent: 10 })];
    await put('nested', 'd', [], { chunks });
    const [hit] = await search('nested', 'plum', { mode: 'text' });
    expect(hit?.parent?.text).toBe('chapter');
  });

  it('a word is found in its other forms, in each language of a collection, and without its accents', async () => {
    await put('languages', 'en', ['The companies were running several experiments, and the results were published.']);
    await put('languages', 'de', ['Die Häuser in der Straße wurden von den Nachbarn mit Farbe gestrichen.']);
    await put('languages', 'fr', ['Les chevaux mangeaient dans les prairies, et ils étaient heureux avec nous.']);
    await put('languages', 'ru', ['Собаки бегали по улицам большого города.']);
    await put('languages', 'ja', ['東京都の天気予報は雨です。']);
    for (const [query, document] of [
      ['experiment', 'en'],
      ['Haus', 'de'],
      ['strasse', 'de'],
      ['prairie heureuse', 'fr'],
      ['etaient', 'fr'],
      ['собака', 'ru'],
      ['天気', 'ja'],
    ] as const)
      expect([query, (await found('languages', query, { mode: 'text' }))[0]]).toEqual([query, `${document}:0`]);
  });

  it('a rare word counts more than a common one, by the statistics of the collection alone', async () => {
    const common = Array.from({ length: 30 }, (_, i) => `report number ${i} about the quarterly budget`);
    await put('rarity', 'd', [...common, 'the budget of the zeppelin']);
    // In another collection the rare word is common.
    await put(
      'rarity-other',
      'd',
      Array.from({ length: 60 }, () => 'zeppelin zeppelin'),
    );
    expect((await found('rarity', 'zeppelin budget', { mode: 'text' }))[0]).toBe('d:30');
  });

  it('a document that is put again replaces what was there, at once and whole', async () => {
    await put(
      'replaced',
      'd',
      Array.from({ length: 30 }, (_, i) => `oldword passage ${i}`),
    );
    await put('replaced', 'd', ['newword only']);
    expect(await found('replaced', 'oldword', { mode: 'text' })).toEqual([]);
    expect(await found('replaced', 'newword', { mode: 'text' })).toEqual(['d:0']);
    await retrieval.idle();
    expect(await found('replaced', 'oldword passage', { mode: 'vector' })).toEqual(['d:0']);
  });

  it('other workspaces and other collections are not searched', async () => {
    await put('shared-name', 'mine', ['secretword']);
    await put('shared-name', 'theirs', ['secretword'], { workspaceId: 'w2' });
    await retrieval.idle();
    expect(await found('shared-name', 'secretword')).toEqual(['mine:0']);
    expect(await found('first', 'secretword', { mode: 'text' })).toEqual([]);
    const both = await found('', 'secretword', {
      collections: [
        { workspaceId: 'w1', collectionId: 'shared-name' },
        { workspaceId: 'w2', collectionId: 'shared-name' },
      ],
    });
    expect(both.sort()).toEqual(['mine:0', 'theirs:0']);
  });

  it('filters see attributes of documents and fields of chunks, with and, or, not, in and ranges', async () => {
    for (const [id, attributes] of [
      ['a', { year: 2020, tags: ['red', 'blue'], author: { name: 'Ada' }, day: '2020-03-01' }],
      ['b', { year: 2022, tags: ['blue'], author: { name: 'Bob' }, day: '2022-03-01T00:00:00Z' }],
      ['c', { year: 2024, is_draft: true }],
    ] as const) {
      const chunks = [chunkForTests(0, 'filtered passage'), chunkForTests(1, 'filtered note', { fields: { n: id } })];
      await put('filters', id, [], { attributes, chunks });
    }
    await retrieval.idle();
    const cases: [SearchRequest['filter'], string[]][] = [
      [{ type: 'equal', field: 'year', value: 2020 }, ['a']],
      [{ type: 'equal', field: 'tags', value: 'blue' }, ['a', 'b']],
      [{ type: 'equal', field: 'author.name', value: 'Bob' }, ['b']],
      [{ type: 'equal', field: 'is_draft', value: true }, ['c']],
      [{ type: 'in', field: 'year', values: [2020, 2024] }, ['a', 'c']],
      [{ type: 'range', field: 'year', gt: 2020, lte: 2024 }, ['b', 'c']],
      [{ type: 'range', field: 'day', gte: '2021-01-01' }, ['b']],
      [{ type: 'not', match: { type: 'equal', field: 'tags', value: 'blue' } }, ['c']],
      [{ type: 'documents', documentIds: ['b', 'x'] }, ['b']],
      [
        {
          type: 'and',
          matches: [
            { type: 'equal', field: 'tags', value: 'blue' },
            { type: 'or', matches: [{ type: 'equal', field: 'year', value: 2022 }] },
          ],
        },
        ['b'],
      ],
    ];
    for (const mode of ['text', 'vector', 'hybrid'] as const)
      for (const [filter, expected] of cases) {
        const hits = await search('filters', 'filtered', { mode, filter });
        expect([mode, filter, [...new Set(hits.map(({ documentId }) => documentId))].sort()]).toEqual([
          mode,
          filter,
          expected,
        ]);
      }
    const field = { type: 'equal', field: 'n', value: 'b' } as const;
    expect(await found('filters', 'filtered', { filter: field })).toEqual(['b:1']);
  });

  it('attributes change without the chunks', async () => {
    await put('attributes', 'd', ['changing attributes'], { attributes: { state: 'draft' } });
    const ref = { workspaceId: 'w1', collectionId: 'attributes', documentId: 'd' };
    await retrieval.setAttributes({ ...ref, title: 'Renamed', attributes: { state: 'final' } });
    const final = { type: 'equal', field: 'state', value: 'final' } as const;
    expect(await search('attributes', 'changing', { filter: final, mode: 'text' })).toMatchObject([
      { title: 'Renamed' },
    ]);
    expect(await found('attributes', 'changing', { filter: { ...final, value: 'draft' }, mode: 'text' })).toEqual([]);
  });

  it('a hit brings its page, headings and boxes, its neighbours, and the chunk that holds it', async () => {
    const box = { page: 3, x0: 1, y0: 2, x1: 3, y1: 4 };
    const chunks = [
      chunkForTests(0, 'whole section'),
      chunkForTests(1, 'before'),
      chunkForTests(2, 'needle', { headings: ['Part', 'Chapter'], page: 3, boxes: [box], parent: 0, kind: 'table' }),
      chunkForTests(3, 'after'),
      chunkForTests(4, 'far'),
    ];
    await put('places', 'd', [], { chunks });
    await put('places', 'next', ['next document']);
    const [hit] = await search('places', 'needle', { mode: 'text', neighbours: 1 });
    expect(hit).toMatchObject({
      page: 3,
      headings: ['Part', 'Chapter'],
      boxes: [box],
      kind: 'table',
      parent: { position: 0, text: 'whole section' },
      neighbours: { before: [{ text: 'before' }], after: [{ text: 'after' }] },
    });
    const [last] = await search('places', 'far', { mode: 'text', neighbours: 3 });
    expect(last?.neighbours.after).toEqual([]);
  });

  it('headings and the title are searched too', async () => {
    await put('heads', 'd', [], {
      title: 'Annual statement',
      chunks: [chunkForTests(0, 'x', { headings: ['Liquidity'] })],
    });
    expect(await found('heads', 'annual statements', { mode: 'text' })).toEqual(['d:0']);
    expect(await found('heads', 'liquidity', { mode: 'text' })).toEqual(['d:0']);
  });

  it('with all words needed, a chunk that lacks one is not found', async () => {
    await put('all', 'd', ['apples and pears', 'apples only']);
    expect(await found('all', 'apple pear', { mode: 'text', needsAll: true })).toEqual(['d:0']);
    expect(await found('all', 'apple missing', { mode: 'text', needsAll: true })).toEqual([]);
  });

  it('an empty query is refused, and a collection that is not there has no hits', async () => {
    await expect(search('first', '  ')).rejects.toMatchObject({ status: 400, code: 'nothing_to_search_for' });
    expect(await search('nowhere', 'anything')).toEqual([]);
  });

  describe('after removal', () => {
    it('no table and no page of the file has a word of the document', async () => {
      const word = 'xylographqz';
      await put('removed', 'd', [`A ${word} of a kind.`], { title: word, attributes: { secret: word } });
      await put('removed-whole', 'd', [`Another ${word}.`], { attributes: { secret: word } });
      await put('kept', 'd', ['A xylophone stays.']);
      await retrieval.idle();
      await retrieval.removeDocument({ workspaceId: 'w1', collectionId: 'removed', documentId: 'd' });
      await retrieval.removeCollection({ workspaceId: 'w1', collectionId: 'removed-whole' });
      expect(await found('removed', word)).toEqual([]);
      await retrieval.idle();
      expect(await listTraces(database, word)).toEqual([]);
      if (database.file) expect(await countInFile(database, 'graphqz')).toBe(0);
      expect(await found('kept', 'xylophones', { mode: 'text' })).toEqual(['d:0']);
    });
  });
});

onEachDatabase('a change of the embedding model', (testDatabase) => {
  it('embeds everything again while the old vectors serve, and goes on where it was cut off', async () => {
    const database = await testDatabase.open();
    const first = retrievalForTests(database).service;
    await first.start();
    const chunks = ['The automobile is here.', 'The physician is late.'].map((text, i) => chunkForTests(i, text));
    const ref = { workspaceId: 'w1', collectionId: 'moved', documentId: 'd' };
    await first.put({ ...ref, organizationId: 'o1', title: '', language: null, attributes: {}, chunks });
    await first.idle();
    await first.stop();

    let isOut = true;
    const models = [{ id: 'tiny-embed' }, { id: 'wide-embed', dimensions: 256, fails: () => isOut }];
    const moved = retrievalForTests(database, { models, embeddingModel: 'wide-embed' });
    const listDimensions = async () =>
      (await database.db.selectFrom('search_sets').select('dimensions').execute()).map(({ dimensions }) => dimensions);
    const best = async () => {
      const caller = callerForTests('w1');
      const hits = await moved.service.search({ collections: [ref], query: 'car', limit: 1, mode: 'vector', caller });
      return hits.map(({ chunkId }) => chunkId);
    };
    await moved.service.start();
    try {
      await moved.service.idle();
      expect(await best()).toEqual(['d:0']);
      expect(await listDimensions()).toEqual([128, null]);
      isOut = false;
      const due = { due_ms: null, state: 'ready', run_at_ms: 0 } as const;
      await database.db.updateTable('tasks').set(due).where('queue', '=', 'retrieval').execute();
      await moved.service.idle();
      expect(await best()).toEqual(['d:0']);
      expect(await listDimensions()).toEqual([256]);
    } finally {
      await moved.service.stop();
    }
  });
});

/** Of the file itself, after its log was written into it. */
async function countInFile({ file = '' }: Database, part: string): Promise<number> {
  const connection = new SqliteConnection(file);
  connection.pragma('wal_checkpoint(truncate)');
  connection.close();
  return readFileSync(file).toString('latin1').split(part).length - 1;
}

async function listTraces(database: Database, word: string): Promise<string[]> {
  const traces: string[] = [];
  for (const { name } of await database.db.introspection.getTables()) {
    const rows = await database.db
      .selectFrom(name as never)
      .selectAll()
      .execute();
    if (rows.some((row) => holds(row, word))) traces.push(name);
  }
  return traces;
}

function holds(value: unknown, word: string): boolean {
  if (typeof value === 'string') return value.includes(word);
  if (value instanceof Uint8Array) return Buffer.from(value).includes(word);
  return typeof value === 'object' && value !== null && Object.values(value).some((inner) => holds(inner, word));
}

import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../test/support/databases.ts';
import type { RetrievalService } from './index.ts';
import { callerForTests, chunkForTests, retrievalForTests } from './retrieval-for-tests.ts';

onEachDatabase('searches of several organizations', (testDatabase) => {
  let retrieval: RetrievalService;
  beforeAll(async () => {
    retrieval = retrievalForTests(await testDatabase.open()).service;
    await retrieval.start();
    const texts = Array.from({ length: 40 }, (_, i) => `a lighthouse of the coast, number ${i}`);
    await retrieval.put({
      organizationId: 'o1',
      workspaceId: 'w1',
      collectionId: 'shared',
      documentId: 'd',
      title: '',
      language: null,
      attributes: {},
      chunks: texts.map((text, i) => chunkForTests(i, text)),
    });
  });
  afterAll(() => retrieval.stop());

  function search(organization: string, signal = new AbortController().signal) {
    const { scope, ...caller } = callerForTests('w1');
    return retrieval.search({
      collections: [{ workspaceId: 'w1', collectionId: 'shared' }],
      query: 'lighthouse coast',
      limit: 3,
      mode: 'text',
      caller: { ...caller, signal, scope: { ...scope, organization_id: organization, key_id: `${organization}-key` } },
    });
  }

  it('take turns: the one search of an organization does not wait for the many of another', async () => {
    let ended = 0;
    const many = Array.from({ length: 40 }, () => search('greedy').finally(() => ended++));
    const single = await search('modest');
    expect(single).toHaveLength(3);
    // In the order of their arrival it would be the last of all.
    expect(ended).toBeLessThan(35);
    await Promise.all(many);
  });

  it('are refused once too many of one organization wait, while those of another are not', async () => {
    const many = await Promise.allSettled([
      ...Array.from({ length: 120 }, () => search('greedy')),
      ...Array.from({ length: 5 }, () => search('modest')),
    ]);
    const refused = many.map((result) => result.status === 'rejected' && result.reason);
    expect(refused.slice(0, 120).filter((error) => error)).not.toEqual([]);
    for (const error of refused.filter((reason) => reason))
      expect(error).toMatchObject({ status: 429, code: 'too_many_searches' });
    expect(refused.slice(120)).toEqual([false, false, false, false, false]);
  });

  it('leave the queue when their clients are gone', async () => {
    const leaving = new AbortController();
    const many = Promise.allSettled(Array.from({ length: 40 }, () => search('greedy', leaving.signal)));
    await search('modest');
    leaving.abort(new Error('gone'));
    const gone = (await many).filter((outcome) => outcome.status === 'rejected');
    expect(gone.length).toBeGreaterThan(20);
    for (const { reason } of gone) expect(reason).toMatchObject({ message: 'gone' });
    expect(await search('greedy')).toHaveLength(3);
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { startUpstream } from '../../../test/support/upstream.ts';
import { answerVectors } from '../../classifiers/classifiers-for-tests.ts';
import { preparePlatform } from '../run-for-tests.ts';
import { type EndedHere, runHere } from '../run-here-for-tests.ts';

describe('classifiers', () => {
  let environment: Record<string, string | undefined>;
  let file: string;
  const run = (...words: string[]): Promise<EndedHere> => runHere(words, environment);

  beforeAll(async () => {
    const upstream = await startUpstream();
    upstream.answerWith(answerVectors);
    ({ environment } = await preparePlatform());
    const dir = join(environment.TRAMONTANE_DATA_DIR ?? '', '..');
    writeFileSync(
      join(dir, 'tramontane.yaml'),
      `models: [{ id: vectors, engine: upstream, url: "${upstream.url}", kind: embeddings }]\nsearch: { embedding_model: vectors }\n`,
    );
    file = join(dir, 'topics.jsonl');
    const lines = Array.from({ length: 40 }, (_, index) =>
      index % 2 ? { text: `my money ${index}`, label: 'billing' } : { text: `the parcel ${index}`, label: 'shipping' },
    );
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  });

  it('are trained, listed with their figures, replaced by a new training and removed', async () => {
    expect((await run('classifiers', 'list')).stdout).toContain('No classifiers yet');
    const trained = await run('classifiers', 'train', file, '--held-out', '0.25', '--seed', '3');
    expect(trained, trained.stderr).toMatchObject({ code: 0 });
    expect(trained.data).toMatchObject({
      id: 'topics',
      root: 'vectors',
      figures: { examples: 40, held_out: 10, seed: 3, targets: { label: { accuracy: 1, macro_f1: 1 } } },
    });
    expect(trained.stdout).toMatch(/^topics over vectors: trained on 30 examples, measured on 10 others$/m);
    expect(trained.stdout).toMatch(/^billing +1\.00 +1\.00 +1\.00 +5$/m);
    expect((await run('classifiers', 'train', file)).code).toBe(0);
    const forOne = await run('classifiers', 'train', file, '--workspace', 'Default', '--name', 'private');
    expect(forOne, forOne.stderr).toMatchObject({
      code: 0,
      data: { id: expect.stringMatching(/^ft:classifier:vectors:/) },
    });
    const listed = (await run('classifiers', 'list')).data as {
      id: string;
      workspace_id: string | null;
      isServed: boolean;
    }[];
    const ids = listed.filter(({ isServed }) => isServed).map(({ id }) => id);
    expect(ids.toSorted()).toEqual([(forOne.data as { id: string }).id, 'topics']);
    for (const { id } of listed) expect((await run('classifiers', 'rm', id)).code).toBe(0);
    expect((await run('classifiers', 'list')).data).toEqual([]);
  });

  it.each([
    [['classifiers', 'train', 'nowhere.jsonl'], 'nowhere.jsonl cannot be read: ENOENT.'],
    [['classifiers', 'train', 'FILE', '--name', 'vectors'], "A configured model is called 'vectors' already."],
    [['classifiers', 'train', 'FILE', '--name', 'a b'], "The name 'a b' may have letters"],
    [
      ['classifiers', 'train', 'FILE', '--model', 'nobody'],
      "There is no embedding model 'nobody'. Configured: vectors",
    ],
    [['classifiers', 'train', 'FILE', '--held-out', '0.9'], '--held-out is a share'],
    [['classifiers', 'train', 'FILE', '--seed', 'x'], "--seed is a number, not 'x'"],
    [['classifiers', 'rm', 'nobody'], "There is no classifier 'nobody'."],
  ])('%j says what is wrong', async (words, message) => {
    const { code, stderr } = await run(...words.map((word) => (word === 'FILE' ? file : word)));
    expect([code, stderr]).toEqual([expect.toBeOneOf([1, 2]), expect.stringContaining(message)]);
  });
});

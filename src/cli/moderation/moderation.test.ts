import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { json, startUpstream } from '../../../test/support/upstream.ts';
import { run, runJson } from '../run-for-tests.ts';

/** The environment of a platform with these models. */
function configure(models: string): Record<string, string> {
  const dir = temporaryDir();
  writeFileSync(join(dir, 'tramontane.yaml'), models);
  return { TRAMONTANE_DATA_DIR: join(dir, 'data') };
}

describe('moderation evaluate', () => {
  it('measures the configured model on the sentences that were kept out, for people and for machines', async () => {
    const upstream = await startUpstream();
    // Takes whoever says "you" for a jailbreaker, which is sometimes right, and is blind for everything else.
    upstream.answerWith(({ body }, response) =>
      json(response, 200, {
        results: (body.input as string[]).map((text) => {
          const jailbreaking = /\byou\b/i.test(text);
          return { categories: { jailbreaking }, category_scores: { jailbreaking: Number(jailbreaking) } };
        }),
      }),
    );
    const environment = configure(
      `models: [{ id: judge, aliases: [j], engine: upstream, url: "${upstream.url}", capabilities: { moderation: true } }]`,
    );
    const { code, data } = await runJson(['moderation', 'evaluate'], environment);
    expect(code).toBe(0);
    const { model, sentences, categories, overall } = data as {
      model: string;
      sentences: number;
      categories: Record<string, Record<string, number | null>>;
      overall: Record<string, number>;
    };
    expect(model).toBe('judge');
    expect(upstream.calls.flatMap(({ body }) => body.input)).toHaveLength(sentences);
    expect(Object.keys(categories)).toHaveLength(11);
    expect(categories.law).toMatchObject({ found: 0, wrong: 0, precision: null, recall: 0 });
    const { found, missed, wrong, precision, recall } = categories.jailbreaking ?? {};
    expect([found, missed, wrong].every((count) => typeof count === 'number' && count > 0)).toBe(true);
    expect(precision).toBeCloseTo(Number(found) / (Number(found) + Number(wrong)), 2);
    expect(recall).toBeCloseTo(Number(found) / (Number(found) + Number(missed)), 2);
    expect(overall.found).toBe(found);
    const shown = await run(['moderation', 'evaluate', '--model', 'j'], environment);
    expect(shown.stdout).toMatch(/^CATEGORY +PRECISION +RECALL +SENTENCES +FOUND +MISSED +WRONG$/m);
    expect(shown.stdout).toMatch(/^law +- +0\.00 /m);
  });

  it('names what is missing', async () => {
    expect(await run(['moderation', 'evaluate'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No configured model has the capability moderation.'),
    });
    const environment = configure(
      'models: [{ id: judge, engine: upstream, url: "http://127.0.0.1:9/v1", capabilities: { moderation: true } }]',
    );
    expect(await run(['moderation', 'evaluate', '--model', 'nobody'], environment)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("There is no moderation model 'nobody'. Configured: judge, all-minilm-l6-v2."),
    });
    expect(await run(['moderation', 'evaluate'], environment)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be reached'),
    });
  });
});

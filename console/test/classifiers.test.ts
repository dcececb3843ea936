import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { answerVectors } from '../../src/classifiers/classifiers-for-tests.ts';
import { inFull } from '../../test/support/in-full.ts';
import { startUpstream } from '../../test/support/upstream.ts';
import { checkPage } from './support/check-page.ts';
import { chromiumPath } from './support/chromium.ts';
import { type OpenConsole, openConsole } from './support/open-console.ts';
import { shots } from './support/shots.ts';

const LONG_MS = 90_000;
const words = { billing: 'money', shipping: 'parcel' };
const examples = Object.entries(words).flatMap(([label, word]) =>
  Array.from({ length: 12 }, (_, n) => JSON.stringify({ text: `${n} ${word}`, label })),
);
const fileOf = (lines: string[]) => ({
  ...{ name: 'examples.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(lines.join('\n')) },
});

inFull.given(chromiumPath).describe('classifiers', () => {
  let app: OpenConsole;
  let page: Page;
  beforeAll(async () => {
    const upstream = await startUpstream();
    upstream.answerWith(answerVectors);
    app = await openConsole({
      file: { models: [{ id: 'vectors', engine: 'upstream', url: upstream.url, kind: 'embeddings' }] },
    });
    page = app.page;
  });
  const button = (name: string) => page.getByRole('button', { name, exact: true });

  it(
    'a file of examples becomes a classifier with figures, which is tried and deleted',
    async () => {
      await page.goto(app.at('/classifiers'));
      await page.getByText('No classifier yet').waitFor();
      await checkPage(page);
      const dialog = page.getByRole('dialog');
      const train = async (name: string, lines: string[]) => {
        await button('Train a classifier').first().click();
        await dialog.getByLabel('Name').fill(name);
        await dialog.getByLabel('Examples').setInputFiles(fileOf(lines));
        await checkPage(page);
        await dialog.getByRole('button', { name: 'Start training' }).click();
        await dialog.waitFor({ state: 'detached' });
      };
      await train('broken', [...examples, '{"text": "no label"}']);
      await page.getByText('Line 25 is not an example.').waitFor();
      await train('topics', examples);
      await page.getByRole('cell', { name: '100 %' }).waitFor();
      await checkPage(page);
      await shots(page, 'classifiers');
      await button('Figures').click();
      await dialog.getByRole('cell', { name: 'shipping' }).waitFor();
      await checkPage(page);
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await button('Try').click();
      await dialog.getByLabel('Text').fill('Where is my parcel?');
      await dialog.getByRole('button', { name: 'Classify' }).click();
      const scores = dialog.getByRole('progressbar');
      await scores.first().waitFor();
      expect(await scores.first().getAttribute('aria-valuenow')).toMatch(/^(5[1-9]|[6-9]\d|100)$/);
      await dialog.getByText('shipping').waitFor();
      await checkPage(page);
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await button('Delete').click();
      await dialog.getByRole('button', { name: 'Delete classifier' }).click();
      await page.getByText('No classifier yet').waitFor();
    },
    LONG_MS,
  );
});

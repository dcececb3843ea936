import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { inFull } from '../../test/support/in-full.ts';
import { completion, json } from '../../test/support/upstream.ts';
import { checkPage } from './support/check-page.ts';
import { chromiumPath } from './support/chromium.ts';
import { model, type OpenConsole, openConsole } from './support/open-console.ts';
import { shots } from './support/shots.ts';

const RECORDS = 12;
const question = (n: number) => `Question ${n}: which wind?`;

inFull.given(chromiumPath).describe('datasets and evaluations', () => {
  let opened: OpenConsole;
  beforeAll(async () => {
    opened = await openConsole();
    const { server, upstream } = opened;
    // The second version of the prompt is the better one; the judge likes its answers.
    upstream.answerWith(({ body }, response) => {
      const text = JSON.stringify(body.messages);
      if (text.includes('Is it right?')) {
        const answer = text.includes('the right answer') ? 'good' : 'bad';
        return json(response, 200, completion(JSON.stringify({ analysis: `It is ${answer}.`, answer })));
      }
      return json(response, 200, completion(text.includes('carefully') ? 'the right answer' : 'a guess'));
    });
    const made = await call(server, '/v2/prompts', {
      body: { name: 'winds', definition: { content: 'Answer quickly.' } },
    });
    expect(made.status, made.text).toBeLessThan(300);
    const { id } = made.body as { id: string };
    const put = (path: string, body: object) => call(server, `/v2/prompts/${id}/${path}`, { method: 'PUT', body });
    expect((await put('model', { model })).status).toBeLessThan(300);
    const second = { definition: { content: 'Answer carefully.' } };
    expect((await call(server, `/v2/prompts/${id}/versions`, { body: second })).status).toBeLessThan(300);
    const alias = { aliases: { values: ['production'] } };
    const moved = await call(server, `/v2/prompts/${id}/versions/1`, { method: 'PATCH', body: alias });
    expect(moved.status, moved.text).toBe(200);
    const judge = {
      ...{ name: 'Right or wrong', description: '', model_name: model, instructions: 'Is it right?', tools: [] },
      output: {
        type: 'CLASSIFICATION',
        options: [
          { value: 'good', description: 'right' },
          { value: 'bad', description: 'wrong' },
        ],
      },
    };
    expect((await call(server, '/v1/observability/judges', { body: judge })).status).toBe(201);
  });

  it('a dataset is filled from a file, whose import shows its progress and what was skipped', async () => {
    const { page, at } = opened;
    await page.goto(at('/datasets'));
    await page.getByText('No dataset yet').waitFor();
    await page.getByRole('button', { name: 'New dataset' }).first().click();
    await page.getByLabel('Name').fill('four');
    await page.getByRole('button', { name: 'Create dataset' }).click();
    await page.getByText('A name has 5 to 50 characters.').waitFor();
    await page.getByLabel('Name').fill('Winds to know');
    await checkPage(page);
    await page.getByRole('button', { name: 'Create dataset' }).click();
    await page.getByRole('heading', { level: 1, name: 'Winds to know' }).waitFor();
    await page.getByText('No record yet').waitFor();
    const lines = Array.from({ length: RECORDS }, (_, n) =>
      JSON.stringify({ payload: { messages: [{ role: 'user', content: question(n + 1) }] } }),
    );
    await page.getByLabel('File to import').setInputFiles({
      name: 'winds.jsonl',
      mimeType: 'application/x-ndjson',
      buffer: Buffer.from([...lines, 'nonsense'].join('\n')),
    });
    const rows = page.getByRole('table', { name: 'Records' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(RECORDS + 1);
    await checkPage(page);
    await shots(page, 'dataset');
    await page.getByRole('tab', { name: 'Imports' }).click();
    const row = page.getByRole('table', { name: 'Imports' }).getByRole('row').nth(1);
    await row.getByText('Done').waitFor();
    await row.getByText('The first: Record 13 of the file is not valid JSON.').waitFor();
    expect(page.url()).toContain('tab=imports');
    await checkPage(page);
    await shots(page, 'dataset-imports');
  });

  it('records are written, changed and deleted, and all of them exported', async () => {
    const { page } = opened;
    await page.getByRole('tab', { name: 'Records' }).click();
    await page.getByRole('button', { name: 'Add record' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Payload').fill('{"messages": [');
    await dialog.getByRole('button', { name: 'Add record' }).click();
    await dialog.getByText(/^This is not JSON/).waitFor();
    const messages = [{ role: 'user', content: 'One by hand' }];
    await dialog.getByLabel('Payload').fill(JSON.stringify({ messages }));
    await dialog.getByRole('button', { name: 'Add record' }).click();
    await page.getByRole('button', { name: 'One by hand' }).click();
    await dialog.getByLabel('Properties').fill('{"expected": "north"}');
    await checkPage(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Actions of Winds to know' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export as JSONL' }).click(),
    ]);
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\n');
    expect(lines).toHaveLength(RECORDS + 1);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ payload: { messages }, properties: { expected: 'north' } });
    await page.getByRole('button', { name: 'One by hand' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete record' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'One by hand' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Actions of Winds to know' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await dialog.getByLabel('Name').fill('Known winds');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Known winds' }).waitFor();
  });

  async function startRun(version: string): Promise<void> {
    const { page, at } = opened;
    await page.goto(at('/evaluations'));
    await page.getByRole('button', { name: 'New run' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Dataset').selectOption({ label: 'Known winds' });
    await dialog.getByText('Prompt', { exact: true }).click();
    await dialog.getByRole('combobox', { name: 'Prompt' }).selectOption({ label: 'winds' });
    await dialog.getByLabel('Version').selectOption(version);
    await dialog.getByLabel('Right or wrong').check();
  }

  async function whenCompleted(): Promise<void> {
    const { page } = opened;
    await page.getByText('Completed', { exact: true }).waitFor({ timeout: 50_000 });
    await page.getByText(`${RECORDS} of ${RECORDS} answered`).waitFor();
  }

  it('a run starts with what it will cost, shows its progress, and its answers with the reasons of judges', async () => {
    const { page, at } = opened;
    await page.goto(at('/evaluations'));
    await page.getByText('No run yet').waitFor();
    await page.getByRole('button', { name: 'New run' }).first().click();
    await page.getByRole('button', { name: 'Start run' }).click();
    await page.getByText('Choose at least one judge or check.').waitFor();
    await page.getByText('Give the evaluation a name.').waitFor();
    await checkPage(page);
    await startRun('1');
    await page.getByRole('dialog').getByLabel('Name of the evaluation').fill('Winds');
    await shots(page, 'evaluation-new');
    await page.getByRole('button', { name: 'Start run' }).click();
    await page.getByRole('heading', { level: 1, name: 'winds#1' }).waitFor();
    await whenCompleted();
    await page.getByRole('list', { name: 'Scores of Right or wrong' }).getByText('bad').waitFor();
    await page.getByRole('button', { name: question(1) }).click();
    await page.getByRole('dialog').getByText('a guess').waitFor();
    await page.getByRole('dialog').getByText('It is bad.').waitFor();
    await checkPage(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await checkPage(page);
    await shots(page, 'evaluation-run');
  });

  it('two runs are compared record by record, and the better version is promoted from there', async () => {
    const { page } = opened;
    await startRun('2');
    await page.getByRole('dialog').getByRole('status').getByText(`${RECORDS} records`).waitFor();
    await page.getByRole('button', { name: 'Start run' }).click();
    await page.getByRole('heading', { level: 1, name: 'winds#2' }).waitFor();
    await whenCompleted();
    const choice = await page.getByLabel('Compare with').locator('option').nth(1).getAttribute('value');
    await page.getByLabel('Compare with').selectOption(choice);
    await page.getByRole('heading', { level: 1, name: 'winds#2 against winds#1' }).waitFor();
    await page.getByText('Better', { exact: true }).waitFor();
    await page.getByText(`${RECORDS} better, 0 worse`).waitFor();
    await page.getByRole('img', { name: /^Difference of Right or wrong: \+1/ }).waitFor();
    await checkPage(page);
    await shots(page, 'evaluation-comparison');
    await page.getByRole('region', { name: 'Got better' }).getByRole('button').first().click();
    await page.getByRole('region', { name: 'winds#2' }).getByText('the right answer').waitFor();
    await page.getByRole('region', { name: 'winds#1' }).getByText('a guess').waitFor();
    await checkPage(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'Swap' }).click();
    await page.getByText('Worse', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Swap' }).click();
    await page.getByText('Better', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Promote version' }).click();
    await page.getByText('It moves from version 1 to 2.').waitFor();
    await checkPage(page);
    await page.getByRole('button', { name: 'Move alias' }).click();
    await page.getByText('production now points to version 2.').waitFor();
    const { body } = await call(opened.server, '/v2/prompts/winds?alias=production');
    expect(body).toMatchObject({ version: 2 });
  });

  it('runs of an evaluation are charted side by side, and one is deleted', async () => {
    const { page, at } = opened;
    await page.goto(at('/evaluations'));
    await page.getByLabel('Evaluation').selectOption({ label: 'Winds' });
    const bars = page.getByRole('list', { name: 'Right or wrong by run' }).getByRole('listitem');
    await expect.poll(() => bars.count()).toBe(2);
    await bars.filter({ hasText: `good ${RECORDS} of ${RECORDS}` }).waitFor();
    await checkPage(page);
    await shots(page, 'evaluations');
    await page.getByRole('link', { name: 'winds#1' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete run' }).click();
    await page.getByText('winds#1 was deleted.').waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'winds#1' }).count()).toBe(0);
  });
});

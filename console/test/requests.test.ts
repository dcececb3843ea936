import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { inFull } from '../../test/support/in-full.ts';
import { completion, json } from '../../test/support/upstream.ts';
import { checkPage } from './support/check-page.ts';
import { chromiumPath } from './support/chromium.ts';
import { model, type OpenConsole, openConsole } from './support/open-console.ts';
import { shots } from './support/shots.ts';

inFull.given(chromiumPath).describe('requests', () => {
  let opened: OpenConsole;
  const ask = (content: string, more: object = {}) =>
    call(opened.server, '/v1/chat/completions', {
      body: { model, messages: [{ role: 'user', content }], ...more },
    });
  const rows = () => opened.page.getByRole('group', { name: 'Requests' }).getByRole('link');
  beforeAll(async () => {
    opened = await openConsole();
    opened.upstream.answerWith(({ body }, response) =>
      JSON.stringify(body).includes('fail')
        ? json(response, 400, { message: 'refused' })
        : json(response, 200, completion('It **blows** from the north.')),
    );
    await ask('Which wind?');
    await ask('please fail');
  });

  it('are listed as they come; filters are the address', async () => {
    const { page, at } = opened;
    await page.goto(at('/requests?live=true'));
    await expect.poll(() => rows().count(), { timeout: 20_000 }).toBe(2);
    await ask('And now?');
    await expect.poll(() => rows().count(), { timeout: 20_000 }).toBe(3);
    await checkPage(page);
    await shots(page, 'requests');
    await page.getByLabel('Status').selectOption('error');
    await expect.poll(() => rows().count()).toBe(1);
    expect(page.url()).toContain('status=error');
    await page.reload();
    await expect.poll(() => rows().count()).toBe(1);
    await page.getByLabel('Expression').fill('nonsense ~ 1');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('alert').getByText('Invalid request').waitFor();
  });

  it('have charts with latency and failures, and their numbers as CSV', async () => {
    const { page, at } = opened;
    await page.goto(at('/requests?period=1h'));
    await page.getByRole('button', { name: 'Charts' }).click();
    await page.getByRole('img', { name: /^Requests per minute/ }).waitFor();
    await page.getByRole('img', { name: /^Milliseconds per minute/ }).waitFor();
    await checkPage(page);
    await shots(page, 'requests-charts');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    const [head, ...lines] = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\n');
    expect(head).toBe('from,requests,failed,p95_ms,tokens_out');
    expect(lines.reduce((sum, line) => sum + Number(line.split(',')[1]), 0)).toBeGreaterThanOrEqual(3);
  });

  it('are judged by judges, which are made, tried, changed and deleted here', async () => {
    const { page, at, upstream } = opened;
    await page.goto(at('/judges'));
    await page.getByText('No judge yet').waitFor();
    await page.getByRole('button', { name: 'New judge' }).first().click();
    await page.getByRole('button', { name: 'Create judge' }).click();
    await page.getByText('A name has 5 to 50 characters.').waitFor();
    await page.getByLabel('Name').fill('Right or wrong');
    await page.getByLabel('Model', { exact: true }).selectOption(model);
    await page.getByLabel('Instructions').fill('Is it right?');
    await checkPage(page);
    await page.getByRole('button', { name: 'Create judge' }).click();
    await page.getByRole('row').filter({ hasText: 'Right or wrong' }).getByText('good, bad').waitFor();
    await checkPage(page);
    await shots(page, 'judges');
    upstream.answerWith((_, response) =>
      json(response, 200, completion(JSON.stringify({ analysis: 'North is right.', answer: 'good' }))),
    );
    await page.getByRole('button', { name: 'Try' }).click();
    await page.getByLabel('Question').fill('Where from?');
    await page.getByLabel('Answer', { exact: true }).fill('From the north.');
    await page.getByRole('button', { name: 'Judge', exact: true }).click();
    await page.getByRole('status').getByText('good').waitFor();
    await page.getByText('North is right.').waitFor();
    await checkPage(page);
    await shots(page, 'judge-try');
    await page.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'Actions of Right or wrong' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete judge' }).click();
    await page.getByText('No judge yet').waitFor();
    upstream.answerWith((_, response) => json(response, 200, completion('It **blows** from the north.')));
  });

  it('say why they have no messages; once kept, they are shown and opened in the playground', async () => {
    const { page, at } = opened;
    await page.goto(at('/requests?status=ok'));
    await rows().first().click();
    await page.getByText('This workspace does not keep messages.').waitFor();
    await page.getByRole('list', { name: 'Timing' }).getByRole('listitem').first().waitFor();
    await page.getByRole('button', { name: 'Keep messages' }).click();
    await page.getByLabel('Keep the messages of requests in this workspace').check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('were not kept').waitFor();
    await ask('What is a gregale?', {
      messages: [
        { role: 'system', content: 'Answer as a sailor.' },
        { role: 'user', content: 'What is a gregale?' },
      ],
    });
    // Two of the first test, one by the judge, and this one.
    await page.goto(at('/requests?status=ok&live=true'));
    await expect.poll(() => rows().count(), { timeout: 20_000 }).toBe(4);
    await rows().first().click();
    await page.getByRole('list', { name: 'Input' }).getByText('What is a gregale?').waitFor();
    await page.getByRole('list', { name: 'Output' }).getByText('blows').waitFor();
    await page.getByText('Good', { exact: true }).click();
    await page.getByLabel('Note').fill('Short and right.');
    await page.getByRole('button', { name: 'Save feedback' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Save feedback' }).isDisabled()).toBe(true);
    await page.getByText('Raw JSON').click();
    await page.getByText('"span_id"').waitFor();
    await checkPage(page);
    await shots(page, 'request');
    await page.getByRole('button', { name: 'Add to dataset' }).click();
    await page.getByLabel('Name').fill('From requests');
    await checkPage(page);
    await page.getByRole('button', { name: 'Add record' }).click();
    await page.getByText('The request is a record of From requests now.').waitFor();
    const kept = await call(opened.server, '/v1/observability/datasets/from-requests/records');
    expect(kept.body).toMatchObject({
      records: {
        count: 1,
        results: [
          {
            source: 'TELEMETRY_SPAN',
            payload: {
              messages: [
                { role: 'system', content: 'Answer as a sailor.' },
                { role: 'user', content: 'What is a gregale?' },
                { role: 'assistant', content: 'It **blows** from the north.' },
              ],
            },
          },
        ],
      },
    });
    await page.getByRole('button', { name: 'Open in playground' }).click();
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    await page.getByText('What is a gregale?').waitFor();
    expect(await page.getByLabel('System prompt').inputValue()).toBe('Answer as a sailor.');
  });
});

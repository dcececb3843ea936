import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { begin, endOf, execute, workFor } from '../../../src/workflows/work-for-tests.ts';
import { inFull } from '../../../test/support/in-full.ts';
import { checkPage } from '../support/check-page.ts';
import { chromiumPath } from '../support/chromium.ts';
import { type OpenConsole, openConsole } from '../support/open-console.ts';
import { shots } from '../support/shots.ts';
import { post, steps, workflows } from './fixture.ts';
import { describeManyEvents } from './many-events.ts';

// Long journeys through many page states are slow on a busy machine.
const LONG_MS = 90_000;

inFull.given(chromiumPath).describe('workflows', () => {
  let app: OpenConsole;
  let page: Page;
  beforeAll(async () => {
    app = await openConsole();
    page = app.page;
    page.setDefaultTimeout(20_000);
  });
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  const tab = (name: string | RegExp) => page.getByRole('tab', { name });
  const row = (name: RegExp) => page.getByRole('list', { name: 'Timeline' }).getByRole('button', { name });
  const status = (label: string) => page.getByTestId('summary').getByText(label);

  it(
    'explains how to begin on empty pages',
    async () => {
      for (const [path, words] of [
        ['/workflows', 'No workflow yet'],
        ['/workflows/executions', 'No executions yet'],
        ['/workflows/schedules', 'No schedule yet'],
      ] as const) {
        await page.goto(app.at(path));
        await page.getByText(words).waitFor();
        await shots(page, `empty-${path.split('/').at(-1)}`);
      }
    },
    LONG_MS,
  );

  it(
    'runs a workflow from its schema form, answers an input request, and follows it to its end',
    async () => {
      await workFor(app.server, workflows, steps);
      await page.goto(app.at('/workflows'));
      await button('Run sell').click();
      await page.getByLabel('Order').fill('A');
      await page.getByLabel('Cents').fill('ten');
      await button('Add entry').click();
      await button('Run').click();
      await page.getByText('At least 3 characters.').waitFor();
      await page.getByText('This must be a number.').waitFor();
      await checkPage(page);
      await shots(page, 'run-dialog');
      await page.getByLabel('Order').fill('A-4711');
      await page.getByLabel('Cents').fill('1999');
      await page.getByLabel('Sku').fill('chair');
      await page.getByLabel('Count', { exact: true }).fill('2');
      await button('Run').click();
      // The step failed once and was retried, the timer fired, and now the workflow waits for input.
      await page.getByRole('heading', { name: 'Ship order A-4711 for 19.99 €?' }).waitFor();
      await row(/^Step charge-card: Completed.*1 failed attempt$/).waitFor();
      await row(/^Wait Wait: Completed/).waitFor();
      await checkPage(page);
      await shots(page, 'execution-asks');
      await tab('Messages').click();
      await button('Run query').click();
      await page.getByText('"sells A-4711"').waitFor();
      await button(/remind/).click();
      await page.getByLabel('Who').fill('Ada');
      await button('Send').click();
      await page.getByText('Accepted').waitFor();
      await checkPage(page);
      await shots(page, 'execution-messages');
      await page.getByLabel('Approved').check();
      await page.getByLabel('Note').fill('Fragile');
      await button('Send response').click();
      await status('Completed').waitFor();
      expect(await button('Send response').count()).toBe(0);
      await tab('Timeline').click();
      await row(/^Execution ship: Completed/).waitFor();
      await row(/^Step pack: Completed/).waitFor();
      await row(/^Signal remind: Completed/).click();
      await page.getByRole('region', { name: 'Signal remind' }).getByText('"who": "Ada"').waitFor();
      await row(/^Step charge-card/).click();
      await page.getByRole('region', { name: 'Step charge-card' }).getByText('The bank did not answer.').waitFor();
      await shots(page, 'execution-done');
      await tab('Input and result').click();
      await page.getByText('"note": "Fragile"').waitFor();
      await shots(page, 'execution-data');
      await tab('Logs').click();
      await page.getByText('Ada asks when A-4711 comes').waitFor();
      await shots(page, 'execution-logs');
      await tab(/^Events/).click();
      await page.getByRole('searchbox', { name: 'Search events' }).fill('bank');
      await page.getByText('1 of 12').waitFor();
      await button(/Step retrying/).click();
      await page.getByText('"event_type": "ACTIVITY_TASK_RETRYING"').waitFor();
      await checkPage(page);
      await shots(page, 'execution-events');
      await page.getByRole('searchbox', { name: 'Search events' }).fill('');
      await page.getByRole('radio', { name: 'Signals' }).check();
      await button(/Signal received/).waitFor();
      await page.getByText('1 of 12').waitFor();
    },
    LONG_MS,
  );

  it(
    'cancels after confirmation and resets to an earlier turn in a new run',
    async () => {
      const id = await begin(app.server, 'sell', { order: 'B-12', cents: 5, gift: true });
      await page.goto(app.at(`/workflows/executions/${id}`));
      await button('Send response').waitFor();
      await button('Cancel').click();
      await page.getByRole('dialog').getByText('The workflow can clean up before it ends').waitFor();
      await shots(page, 'execution-cancel');
      await button('Cancel execution').click();
      await status('Cancelled').waitFor();
      await row(/^Input request Ship order B-12.*Cancelled/).waitFor();
      await button('Actions for this execution').click();
      await page.getByRole('menuitem', { name: 'Reset to an earlier turn' }).click();
      await page.getByLabel('Turn', { exact: true }).selectOption({ index: 1 });
      await shots(page, 'execution-reset');
      await button('Reset').click();
      await status('Running').waitFor();
      await button('Send response').waitFor();
      await button('Actions for this execution').click();
      await page.getByRole('menuitem', { name: 'Terminate' }).click();
      await button('Terminate').click();
      await status('Terminated').waitFor();
    },
    LONG_MS,
  );

  it(
    'filters executions by the address',
    async () => {
      const failed = await begin(app.server, 'stock');
      await endOf(app.server, failed);
      const waits = await begin(app.server, 'sell', { order: 'C-99', cents: 7, gift: false });
      await execute(app.server, 'ship', { order: 'D' });
      await page.goto(app.at('/workflows/executions'));
      const table = page.getByRole('table', { name: 'Executions' });
      await table.getByRole('link', { name: failed }).waitFor();
      await checkPage(page);
      await shots(page, 'executions');
      const rows = () => table.locator('tbody tr').count();
      await page.getByLabel('Status').selectOption('Failed');
      await expect.poll(rows).toBe(1);
      expect(page.url()).toContain('status=FAILED');
      await button('Clear filters').click();
      await page.getByLabel('Waiting for input').check();
      await table.getByRole('link', { name: waits }).waitFor();
      await expect.poll(rows).toBe(1);
      await page.getByLabel('Search key').fill('order:nothing');
      await page.getByText('No matching executions').waitFor();
      await page.getByLabel('Search key').fill('order:C-99');
      await expect.poll(rows).toBe(1);
      await page.reload();
      await table.getByRole('link', { name: waits }).waitFor();
      await page.goto(app.at(`/workflows/executions/${failed}`));
      await page.getByText('There is no stock left in the warehouse of Marseille.').first().waitFor();
      await shots(page, 'execution-failed');
    },
    LONG_MS,
  );

  it(
    'creates a schedule and shows its next runs',
    async () => {
      await page.goto(app.at('/workflows/sell'));
      await button('Schedule').click();
      await page.getByLabel('ID', { exact: true }).fill('mornings');
      await page.getByLabel('Cron expression').fill('30 7 * * mon-fri');
      await page.getByLabel('Time zone').fill('Europe/Paris');
      await page.getByLabel('Order').fill('daily');
      await page.getByLabel('Cents').fill('100');
      await checkPage(page);
      await shots(page, 'schedule-dialog');
      await button('Create').click();
      await page.getByRole('heading', { level: 1, name: 'mornings' }).waitFor();
      await expect.poll(() => page.getByTestId('next-runs').getByRole('listitem').count()).toBe(10);
      await checkPage(page);
      await shots(page, 'schedule');
      await button('Pause').click();
      await page.getByText('Resume the schedule to see its next runs.').waitFor();
      await page.goto(app.at('/workflows/schedules'));
      await page.getByRole('link', { name: 'mornings' }).waitFor();
      await checkPage(page);
      await shots(page, 'schedules');
    },
    LONG_MS,
  );

  // Prints the measured costs, also when they are within the limits.
  describeManyEvents(() => app, console.log);

  it(
    'archives a workflow after confirmation',
    async () => {
      await post(app.server, '/v1/workflows/ship/execute', { input: { order: 'x' } });
      await page.goto(app.at('/workflows/ship'));
      await page.getByRole('heading', { name: 'Recent executions' }).waitFor();
      await checkPage(page);
      await shots(page, 'workflow');
      await button('Actions for this workflow').click();
      await page.getByRole('menuitem', { name: 'Archive' }).click();
      await button('Archive').click();
      await page.getByText('This workflow is archived.').waitFor();
      await page.goto(app.at('/workflows'));
      await page.getByRole('link', { name: 'sell' }).waitFor();
      expect(await page.getByRole('link', { name: 'ship', exact: true }).count()).toBe(0);
      await checkPage(page);
      await shots(page, 'workflows');
    },
    LONG_MS,
  );
});

import type { CDPSession, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { begin, endOf } from '../../../src/workflows/work-for-tests.ts';
import type { OpenConsole } from '../support/open-console.ts';
import { shots } from '../support/shots.ts';
import { addEvents } from './fixture.ts';

const EVENTS = 10_000;
/** CPU time, so that other load on the machine does not count. A slow machine gets twice as much. */
const BOUND_MS = 200;

/** Tests that use the console and worker of the calling file. */
export function describeManyEvents(opened: () => OpenConsole, print: (line: string) => void): void {
  describe('an execution with ten thousand events', () => defineTests(opened, print));
}

function defineTests(opened: () => OpenConsole, print: (line: string) => void): void {
  let app: OpenConsole;
  let page: Page;
  let devtools: CDPSession;
  beforeAll(async () => {
    app = opened();
    page = app.page;
    devtools = await app.context.newCDPSession(page);
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    const id = await begin(app.server, 'ship', { order: 'many' });
    const run = await endOf(app.server, id);
    await addEvents(app.server, { ...run, root_execution_id: id }, EVENTS);
    await page.goto(app.at(`/workflows/executions/${id}`));
    await page.getByText(/10,00\d events/).waitFor();
  });

  /** The cost of an action until it is drawn: prints wall time and checks the main thread's time against the limit. */
  async function measure(name: string, deed: string): Promise<void> {
    const run = `(async () => {
      const settled = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      await settled();
      performance.mark('begin');
      (() => { ${deed} })();
      await settled();
      return performance.measure(${JSON.stringify(name)}, 'begin').duration;
    })()`;
    const clockMs: number[] = [];
    const workMs: number[] = [];
    for (let round = 0; round < 7; round++) {
      const before = await worked();
      clockMs.push(await page.evaluate<number>(run));
      workMs.push((await worked()) - before);
    }
    const [clock, work] = [median(clockMs), median(workMs)];
    print(`${name}, ${EVENTS} events: ${work.toFixed(1)} ms of work, ${clock.toFixed(1)} ms by the clock`);
    expect(work, `${name}: ${workMs.map((ms) => ms.toFixed(0)).join(', ')} ms`).toBeLessThan(BOUND_MS);
  }
  async function worked(): Promise<number> {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
  }
  const nodes = () => page.evaluate<number>('document.querySelectorAll("*").length');

  it('keeps the document small and the timeline fast', async () => {
    await shots(page, 'many-timeline');
    expect(await nodes()).toBeLessThan(2000);
    const rows = `document.querySelector('[class*=_rows_]')`;
    await measure('scroll the timeline', `${rows}.scrollTop = Math.random() * ${rows}.scrollHeight;`);
    await measure(
      'select a step',
      `const all = [...document.querySelectorAll('[class*=_name_]')]; all[Math.floor(Math.random() * all.length)].click();`,
    );
    await measure(
      'filter the timeline',
      `const all = [...document.querySelectorAll('[class*=_tools_] input')].slice(0, 4); all.find((one) => !one.checked).click();`,
    );
    expect(await nodes()).toBeLessThan(2000);
  });

  it('keeps the event list small and its search fast', async () => {
    await page.getByRole('tab', { name: /^Events/ }).click();
    await page.getByText(/10,00\d of 10,00\d/).waitFor();
    await shots(page, 'many-events');
    expect(await nodes()).toBeLessThan(2000);
    await measure(
      'scroll the events',
      `const box = document.querySelector('[class*=_virtual_]'); box.scrollTop = Math.random() * box.scrollHeight;`,
    );
    await measure(
      'search the events',
      `const input = document.querySelector('input[type=search]');
       Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, 'step ' + Math.floor(Math.random() * 90));
       input.dispatchEvent(new Event('input', { bubbles: true }));`,
    );
    await page.getByRole('searchbox', { name: 'Search events' }).fill('step 1234');
    await page.getByText(/^2 of 10,00\d$/).waitFor();
    expect(await nodes()).toBeLessThan(2000);
  });

  it('moves through the rows by keyboard', async () => {
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page
      .getByRole('list', { name: 'Timeline' })
      .getByRole('button', { name: /^Execution ship/ })
      .click();
    await page.keyboard.press('End');
    await page.getByRole('region', { name: 'Step step 5999' }).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.getByRole('region', { name: 'Step step 5998' }).waitFor();
    await expect
      .poll(() => page.evaluate<string>('document.activeElement?.getAttribute("aria-label") ?? ""'))
      .toMatch(/^Step step 5998/);
  });
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

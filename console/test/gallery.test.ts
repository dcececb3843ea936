import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { inFull } from '../../test/support/in-full.ts';
import { checkPage } from './support/check-page.ts';
import { chromiumPath } from './support/chromium.ts';
import { openGallery } from './support/open-gallery.ts';
import { shots } from './support/shots.ts';

const ROUNDS = 40;
/** By the clock of a busy machine; the benchmark has the target. */
const BOUND_MS = 400;
const SPECIMENS = readFileSync(join(import.meta.dirname, '../gallery/specimens.tsx'), 'utf8');
const names = [...SPECIMENS.matchAll(/\{ name: '([a-z]+)', Example:/g)].map(([, name = '']) => name);

inFull.given(chromiumPath).describe('components alone', () => {
  let page: Page;
  let show: (name: string) => Promise<void>;
  beforeAll(async () => {
    ({ page, show } = await openGallery());
  });

  it('have no fault that axe finds, in either theme, and fit a phone', async () => {
    expect(names.length).toBeGreaterThanOrEqual(7);
    for (const name of names) {
      await show(name);
      await checkPage(page, { withContrast: true });
      await shots(page, `gallery-${name}`);
    }
  });

  it('a dialog focuses its first field, says what went wrong, and asks before what was typed is lost', async () => {
    await show('dialogs');
    await page.getByRole('button', { name: 'New wind' }).click();
    const dialog = page.getByRole('dialog');
    await page.keyboard.type('Mistral');
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Mistral');
    await dialog.getByRole('alert').getByText('The model does not answer.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Keep editing' }).click();
    await dialog.getByRole('button', { name: 'Create wind' }).click();
    await dialog.locator('button[aria-busy=true]').waitFor();
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  it('a deletion waits for the answer, and Cancel comes first', async () => {
    await show('dialogs');
    for (const [answer, outcome] of [
      ['Cancel', 'kept'],
      ['Delete', 'deleted'],
    ] as const) {
      await page.getByRole('button', { name: 'Delete wind' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete Tramontane?' });
      const buttons = dialog.getByRole('button').filter({ hasText: /./ });
      expect(await buttons.allInnerTexts()).toEqual(['Cancel', 'Delete']);
      await dialog.getByRole('button', { name: answer, exact: true }).click();
      await page.getByRole('status').getByText(outcome).waitFor();
    }
  });

  it('a menu and tabs are used by keyboard', async () => {
    await show('choices');
    await page.getByRole('tab', { name: 'Text' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText('The part history.').waitFor();
    await page.getByRole('button', { name: 'Actions of Tramontane' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByText('Deleted.').waitFor();
  });

  it('rows of unequal height stand one below the other, and those in view stay when rows above are measured', async () => {
    await show('lists');
    for (const top of ['0', '0.5 * box.scrollHeight', 'box.scrollHeight']) {
      await page.evaluate(
        `(() => { const box = document.querySelector('[class*=_virtual_]'); box.scrollTop = ${top}; })()`,
      );
      for (let step = 0; step < 12; step++) {
        const { gaps, moved } = await page.evaluate<{ gaps: number[]; moved: number[] }>(STEP_UP);
        expect(new Set(gaps), top).toEqual(new Set([0]));
        for (const by of moved) expect(by, top).toBe(top === '0' ? 0 : 40);
        expect(moved.length).toBeGreaterThan(1);
      }
    }
    await page.getByRole('group', { name: 'Rows' }).focus();
    for (const [key, row] of [
      ['Home', 'Row 1'],
      ['End', 'Row 100000'],
      ['Home', 'Row 1'],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(() => page.getByText(row, { exact: true }).evaluateAll(isInView)).toBe(true);
    }
  });

  it('a list of 100,000 rows stays small, and answers at once', async () => {
    await show('lists');
    expect(await page.evaluate<number>('document.querySelectorAll("*").length')).toBeLessThan(400);
    const scroll = `const box = document.querySelector('[class*=_virtual_]');
      box.scrollTop = Math.random() * box.scrollHeight;`;
    const choose = `const all = [...document.querySelectorAll('nav button, button')].filter((one) => !one.disabled);
      all[Math.floor(Math.random() * all.length)].click();`;
    for (const [name, deed] of [
      ['scroll', scroll],
      ['turn the page', choose],
    ] as const) {
      const p95 = await measure(page, deed);
      process.stdout.write(`${name}, 100000 rows: ${p95.toFixed(1)} ms at p95 to the next paint\n`);
      expect(p95, name).toBeLessThan(BOUND_MS);
    }
    expect(await page.evaluate<number>('document.querySelectorAll("*").length')).toBeLessThan(400);
  });
});

/** Whether the list shows a row, and not only keeps it ready. */
function isInView([row]: Element[]): boolean {
  const box = row?.closest('[role=group]')?.getBoundingClientRect();
  const place = row?.getBoundingClientRect();
  return box !== undefined && place !== undefined && place.top >= box.top && place.bottom <= box.bottom + 1;
}

/** Scrolls up a little: the space between rendered rows, and how far each one in view moved. */
const STEP_UP = `(async () => {
  const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const box = document.querySelector('[class*=_virtual_]');
  const tops = () => new Map([...box.querySelectorAll('li')].map((row) => [row.innerText, row.getBoundingClientRect().top]));
  const inView = ([, top]) => top >= box.getBoundingClientRect().top && top < box.getBoundingClientRect().bottom;
  await painted();
  const before = tops();
  box.scrollTop -= 40;
  await painted();
  const rects = [...box.querySelectorAll('li')].map((row) => row.getBoundingClientRect());
  const gaps = rects.slice(1).map(({ top }, at) => top - rects[at].bottom);
  const after = tops();
  const moved = [...before].filter(inView).map(([row, top]) => after.get(row) - top);
  return { gaps, moved };
})()`;

/** From the interaction to the paint after it, at p95. */
async function measure(page: Page, deed: string): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round < ROUNDS; round++)
    took.push(
      await page.evaluate<number>(`(async () => {
        const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        await painted();
        const began = performance.now();
        (() => { ${deed} })();
        await painted();
        return performance.now() - began;
      })()`),
    );
  return took.toSorted((a, b) => a - b)[Math.ceil(ROUNDS * 0.95) - 1] ?? Number.NaN;
}

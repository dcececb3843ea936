import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { isFull } from '../../../test/support/rounds.ts';

const require = createRequire(import.meta.url);
const narrowPx = 390;
/** Less than half as long as the property `source` of the package, which each page has to receive and compile. */
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** The elements that make the page scroll sideways. */
const BEYOND = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const wide = [...document.querySelectorAll('main *')].filter((one) => one.getBoundingClientRect().right > clientWidth);
  return wide.map((one) => one.outerHTML.slice(0, 120)).slice(0, 8);
})()`;

/**
 * Checks that axe finds nothing and that the page does not scroll sideways on a narrow screen. To measure contrasts takes
 * longer than all else, so pages have it in the full run; every run has the pairs of colours, and the components.
 */
export async function checkPage(page: Page, { withContrast = isFull } = {}): Promise<void> {
  const size = page.viewportSize() ?? { width: 1440, height: 900 };
  // page.evaluate bypasses the content security policy, which would block a script tag.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  const rules = { 'color-contrast': { enabled: withContrast } };
  expect(await violations(page, { rules }), `axe, light, ${page.url()}`).toEqual([]);
  if (withContrast) {
    await page.emulateMedia({ colorScheme: 'dark' });
    // Only colours depend on the theme.
    expect(await violations(page, { runOnly: ['color-contrast'] }), `axe, dark, ${page.url()}`).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
  }
  await page.setViewportSize({ width: narrowPx, height: size.height });
  expect(await page.evaluate<string[]>(BEYOND), `beyond ${narrowPx} pixels, ${page.url()}`).toEqual([]);
  await page.setViewportSize(size);
}

type Found = { violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[] };

async function violations(page: Page, options: { runOnly?: string[]; rules?: object }): Promise<string[]> {
  const how = JSON.stringify({ resultTypes: ['violations'], ...options });
  const found = await page.evaluate<Found>(`axe.run(document, ${how})`);
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}\n  ${node.html.slice(0, 200)}\n  ${node.failureSummary ?? ''}`),
  );
}

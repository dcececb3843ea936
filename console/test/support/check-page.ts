import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const narrowPx = 390;

/**
 * What holds for every page in every state: axe finds nothing in the light or in the dark theme, and on a narrow screen
 * the page does not scroll sideways. What the browser's console said is checked by openConsole when the file ends.
 */
export async function checkPage(page: Page): Promise<void> {
  const size = page.viewportSize() ?? { width: 1440, height: 900 };
  // Playwright evaluates past the policy of the page, which would refuse a script that the server did not serve.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  expect(await violations(page, {}), `axe, light, ${page.url()}`).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  // Nothing else than the colours depends on the theme.
  expect(await violations(page, { runOnly: ['color-contrast'] }), `axe, dark, ${page.url()}`).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: narrowPx, height: size.height });
  const wide = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(wide, `pixels beyond ${narrowPx}, ${page.url()}`).toBeLessThanOrEqual(0);
  await page.setViewportSize(size);
}

type Found = { violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[] };

async function violations(page: Page, options: { runOnly?: string[] }): Promise<string[]> {
  const how = JSON.stringify({ resultTypes: ['violations'], ...options });
  const found = await page.evaluate<Found>(`axe.run(document, ${how})`);
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}\n  ${node.html.slice(0, 200)}\n  ${node.failureSummary ?? ''}`),
  );
}

import { beforeAll, expect, it } from 'vitest';
import { inFull } from '../../test/support/in-full.ts';
import { completion, json } from '../../test/support/upstream.ts';
import { checkPage } from './support/check-page.ts';
import { chromiumPath } from './support/chromium.ts';
import { model, type OpenConsole, openConsole } from './support/open-console.ts';
import { shots } from './support/shots.ts';

const WINDS = `# Winds

## Cold

The tramontane blows from the north, cold and dry.

## Warm

The sirocco comes from the desert and brings dust.
`;
const TIDES = '# Tides\n\nHigh water is at noon.\n';
const file = (name: string, text: string) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(text),
});

inFull.given(chromiumPath).describe('libraries', () => {
  let opened: OpenConsole;
  let address: string;
  beforeAll(async () => {
    opened = await openConsole({ more: [{ id: 'tesseract', engine: 'tesseract' }] });
    const { page, at } = opened;
    await page.goto(at('/libraries'));
    await page.getByRole('heading', { level: 1, name: 'Libraries' }).waitFor();
    await checkPage(page);
    await page.getByRole('button', { name: 'New library' }).first().click();
    await page.getByLabel('Name').fill('Weather');
    await page.getByRole('button', { name: 'Create library' }).click();
    await page.getByRole('heading', { level: 1, name: 'Weather' }).waitFor();
    address = page.url();
    await page
      .getByLabel('Files')
      .setInputFiles([file('winds.md', WINDS), file('tides.md', TIDES), file('broken.pdf', '%PDF-1.7 nothing')]);
    const rows = page.getByRole('table', { name: 'Documents' }).getByRole('row');
    await rows.filter({ hasText: 'winds.md' }).getByText('Ready').waitFor();
    await rows.filter({ hasText: 'tides.md' }).getByText('Ready').waitFor();
  });

  it('a dialog has its first field focused, and Escape asks before what was typed is lost', async () => {
    const { page, at } = opened;
    await page.goto(at('/libraries'));
    await page.getByRole('button', { name: 'New library' }).first().click();
    await page.keyboard.type('Ships');
    const name = page.getByRole('dialog').getByLabel('Name');
    expect(await name.inputValue()).toBe('Ships');
    await page.keyboard.press('Escape');
    await page.getByText('Close without saving what you typed?').waitFor();
    await checkPage(page);
    await page.getByRole('button', { name: 'Keep editing' }).click();
    expect(await name.inputValue()).toBe('Ships');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.goto(address);
  });

  it('several files are read at once; one that cannot be read says why and what to do', async () => {
    const { page, at } = opened;
    const row = page.getByRole('row').filter({ hasText: 'broken.pdf' });
    await row.getByText('Failed').waitFor();
    await row.getByText(/[Rr]ead it again|upload that/).waitFor();
    await checkPage(page);
    await shots(page, 'library-documents');
    await page.getByLabel('Filter by name').fill('tide');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    expect(page.url()).toContain('search=tide');
    await page.getByLabel('Filter by name').fill('');
    await page.getByLabel('Sort by').selectOption('name-asc');
    await expect.poll(() => page.getByRole('row').allTextContents()).toHaveLength(4);
    await expect.poll(() => page.getByRole('row').nth(1).textContent()).toContain('broken.pdf');
    await page.getByRole('button', { name: 'Actions of broken.pdf' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete document' }).click();
    await page.getByText('broken.pdf was deleted.').waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(3);
    await page.goto(at('/libraries'));
    await page.getByRole('link', { name: 'Weather' }).waitFor();
    await checkPage(page);
    await shots(page, 'libraries');
  });

  it('a search shows passages with scores, and opens the document with the passage marked', async () => {
    const { page } = opened;
    await page.goto(`${address}/search`);
    await page.getByText('Words', { exact: true }).click();
    await page.getByLabel('What to look for').fill('where does the sirocco come from');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    const hit = page.getByRole('list', { name: 'Passages' }).getByRole('listitem').first();
    await hit.getByText('sirocco', { exact: true }).waitFor();
    expect(await hit.locator('mark').allTextContents()).toContain('sirocco');
    await hit.getByText(/^Words \d/).waitFor();
    await checkPage(page);
    await shots(page, 'library-search');
    await hit.getByRole('link', { name: 'winds.md' }).click();
    await page.getByRole('heading', { level: 1, name: 'winds.md' }).waitFor();
    const mark = page.getByTestId('mark');
    await mark.getByText('brings dust').waitFor();
    expect(await mark.textContent()).not.toContain('tramontane');
    await page.getByRole('button', { pressed: true }).getByText('sirocco').waitFor();
    await page.getByRole('group', { name: 'Passages' }).getByRole('button').filter({ hasText: 'tramontane' }).click();
    await mark.getByText('cold and dry').waitFor();
    await checkPage(page);
    await shots(page, 'library-document');
  });

  it('a page of a PDF shows what was left out of it, and says so where that was not kept', async () => {
    const { page, server } = opened;
    const printed = await printPdf();
    await page.goto(address);
    await page
      .getByLabel('Files')
      .setInputFiles([{ name: 'vacation.pdf', mimeType: 'application/pdf', buffer: printed }]);
    const row = page.getByRole('table', { name: 'Documents' }).getByRole('row').filter({ hasText: 'vacation.pdf' });
    await row.getByText('Ready').waitFor();
    await row.getByRole('link', { name: 'vacation.pdf' }).click();
    const text = page.getByRole('group', { name: 'Text of the page' });
    await text.getByText('Employees of department 1 have 21 days of vacation.').waitFor();
    await text.getByText('Managers of department 1 have 31 days of vacation.').waitFor();
    await page.getByText('Left out: headers and footers (2)').click();
    await page.getByRole('listitem').getByText('Page 1 of 6').waitFor();
    await page.getByRole('listitem').getByText('Rules of the house 2026').waitFor();
    await checkPage(page);
    await shots(page, 'library-left-out');
    const { db } = server.platform.database;
    await db.updateTable('library_pages').set({ left_out: null }).execute();
    await page.reload();
    await page.getByText('Read the document again to see them.').waitFor();
    await db.updateTable('library_pages').set({ left_out: '[]' }).execute();
    await page.reload();
    await page.getByText('No header or footer was left out of this page.').waitFor();
    await page.goto(address);
  });

  /** By the browser, whose pages begin and end with lines that differ in digits only. */
  async function printPdf(): Promise<Buffer> {
    const tab = await opened.page.context().newPage();
    const sections = Array.from(
      { length: 6 },
      (_, at) =>
        `<section><p>Employees of department ${at + 1} have ${at + 21} days of vacation.</p><p>And so on.</p>
         <footer>Managers of department ${at + 1} have ${at + 31} days of vacation.</footer></section>`,
    );
    await tab.setContent(`<style>
      section { height: 96vh; break-after: page; position: relative }
      footer { position: absolute; bottom: 0 }
      </style>${sections.join('')}`);
    const printed = await tab.pdf({
      format: 'A4',
      displayHeaderFooter: true,
      margin: { top: '15mm', bottom: '15mm' },
      headerTemplate: '<div style="font-size: 9px; margin: auto">Rules of the house 2026</div>',
      footerTemplate:
        '<div style="font-size: 9px; margin: auto">Page <span class="pageNumber"></span> of <span class="totalPages"></span></div>',
    });
    await tab.close();
    return printed;
  }

  it('an answer cites the passage, and the citation opens the document at its place', async () => {
    const { page, upstream } = opened;
    upstream.answerWith(({ body }, response) => {
      const messages = body.messages as { role: string }[];
      if (messages.at(-1)?.role === 'tool') return json(response, 200, completion('It comes from the **desert**.'));
      const call = { name: 'document_library', arguments: JSON.stringify({ query: 'sirocco' }) };
      const message = {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'abcdefgh1', type: 'function', function: call }],
      };
      json(response, 200, {
        ...(completion('') as object),
        choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
      });
    });
    await page.goto(`${address}/ask`);
    await page.getByLabel('Model').selectOption(model);
    await page.getByLabel('Question').fill('Where does the sirocco come from?');
    await page.getByLabel('Question').press('Enter');
    await page.getByText('Searched for “sirocco”.').waitFor();
    await page.getByText('It comes from the').waitFor();
    await checkPage(page);
    await shots(page, 'library-ask');
    await page.getByRole('list', { name: 'Sources' }).getByRole('link').first().click();
    await page.getByTestId('mark').getByText('brings dust').waitFor();
  });

  it('a library is shared by role, and deleted with everything in it', async () => {
    const { page } = opened;
    await page.goto(`${address}/sharing`);
    const form = page.getByLabel('With whom');
    await form.locator('option', { hasText: 'Everybody in' }).waitFor({ state: 'attached' });
    await form.selectOption({ index: 1 });
    await page.getByLabel('Role', { exact: true }).selectOption('Editor');
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const row = page.getByRole('row').filter({ hasText: 'Everybody in' });
    await expect.poll(() => row.getByRole('combobox').inputValue()).toBe('Editor');
    await checkPage(page);
    await shots(page, 'library-sharing');
    await row.getByRole('button', { name: /^Remove/ }).click();
    await row.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Actions of this library' }).click();
    await page.getByRole('menuitem', { name: 'Delete library' }).click();
    await page.getByRole('button', { name: 'Delete library' }).click();
    await page.getByText('No library yet').waitFor();
  });
});

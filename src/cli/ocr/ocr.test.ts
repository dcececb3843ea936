import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { sqliteForTests, temporaryDir } from '../../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { drawGrid, makePdf, makePicture, newPage, writeLines } from '../../engines/ocr/documents-for-tests.ts';
import { runHere } from '../run-here-for-tests.ts';

const PATIENCE_MS = 60_000;
let server: TestServer;
const dir = temporaryDir();
const book = join(dir, 'book.pdf');
beforeAll(async () => {
  server = await startTestServer(sqliteForTests(), { file: { models: [{ id: 'tesseract', engine: 'tesseract' }] } });
  const pdf = await makePdf(async (document, { plain }) => {
    for (let number = 0; number < 5; number++) {
      const page = newPage(document);
      writeLines(page, plain, [`This is what stands on page ${number}.`], { top: 120 });
      if (number > 0) continue;
      drawGrid(page, plain, [
        ['Name', 'City'],
        ['Anna', 'Paris'],
      ]);
      page.drawImage(await document.embedPng(makePicture()), { x: 100, y: 400, width: 200, height: 120 });
    }
  });
  writeFileSync(book, pdf);
});
const ocr = (...words: string[]) =>
  runHere(['ocr', ...words], { TRAMONTANE_URL: server.url, TRAMONTANE_API_KEY: server.key });

it(
  'prints all pages as Markdown, and leaves no file on the server',
  async () => {
    const { code, stdout, data } = await ocr(book, '--tables', 'html');
    expect({ code, data }).toMatchObject({ code: 0, data: { model: 'tesseract', pages: { length: 5 } } });
    expect(stdout.match(/on page \d/g)).toEqual([0, 1, 2, 3, 4].map((number) => `on page ${number}`));
    expect(stdout).toContain('<table><tr><th>Name</th>');
    expect((await call(server, '/v1/files')).body).toMatchObject({ total: 0 });
  },
  PATIENCE_MS,
);

it(
  'reads a range to the end of a document that is shorter',
  async () => {
    const { code, data } = await ocr(book, '--pages', '3-9', '--json');
    expect({ code, data }).toMatchObject({ code: 0, data: { pages: [{ index: 3 }, { index: 4 }] } });
  },
  PATIENCE_MS,
);

it(
  'writes chosen pages and their pictures, with links from one to the other',
  async () => {
    const [out, images] = [join(dir, 'book.md'), join(dir, 'pictures')];
    const { code, stdout } = await ocr(book, '--pages', '3,0-1', '--out', out, '--images', images);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${out}: 3 pages of book.pdf, converted by tesseract\n` });
    const markdown = readFileSync(out, 'utf8');
    expect(markdown.match(/on page \d/g)).toEqual(['on page 3', 'on page 0', 'on page 1']);
    expect(markdown).toContain('![page-0-img-0.jpeg](pictures/page-0-img-0.jpeg)');
    expect(existsSync(join(images, 'page-0-img-0.jpeg'))).toBe(true);
  },
  PATIENCE_MS,
);

it.each([
  ['no such file', [join(dir, 'nothing.pdf')], 'cannot be read (ENOENT)'],
  ['a page that is not there', [book, '--pages', '9'], 'there is no page 9'],
  ['pages that are none', [book, '--pages', 'all'], "'all' is neither a page"],
  ['an unknown model', [book, '--model', 'nobody'], 'Invalid model: nobody'],
  ['nowhere to write', [book, '--pages', '0', '-o', '/nowhere/at/all.md'], 'cannot be written (ENOENT)'],
])(
  'says so with %s',
  async (_name, words, message) => {
    expect(await ocr(...words)).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
    expect((await call(server, '/v1/files')).body).toMatchObject({ total: 0 });
  },
  PATIENCE_MS,
);

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Mistral } from '@mistralai/mistralai';
import { beforeAll, describe, expect, it } from 'vitest';
import { drawGrid, makePdf, makePicture, newPage, writeLines } from '../../src/engines/ocr/documents-for-tests.ts';
import { sqliteForTests, temporaryDir } from '../support/databases.ts';
import { python } from '../support/python.ts';
import { runPython } from '../support/run-python.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const PATIENCE_MS = 60_000;
let server: TestServer;
const file = join(temporaryDir(), 'book.pdf');
let pdf: Uint8Array;
beforeAll(async () => {
  server = await startTestServer(sqliteForTests(), { file: { models: [{ id: 'tesseract', engine: 'tesseract' }] } });
  pdf = await makePdf(async (document, { plain }) => {
    for (const name of ['first', 'second']) {
      const page = newPage(document);
      writeLines(page, plain, ['A book of two pages'], { top: 30, size: 9 });
      writeLines(page, plain, [`The ${name} page has a table and a picture.`], { top: 120 });
      drawGrid(page, plain, [
        ['Name', 'City'],
        ['Anna', 'Paris'],
      ]);
      page.drawImage(await document.embedPng(makePicture()), { x: 100, y: 400, width: 200, height: 120 });
    }
  });
  writeFileSync(file, pdf);
});

it(
  'every form of a document is read through the official TypeScript SDK [OCR-READ] [OCR-DOCUMENT]',
  async () => {
    const client = new Mistral({ serverURL: server.url, apiKey: server.key });
    const uploaded = await client.files.upload({ file: { fileName: 'book.pdf', content: pdf }, purpose: 'ocr' });
    const { url } = await client.files.getSignedUrl({ fileId: uploaded.id });
    const answer = await client.ocr.process({
      model: 'mistral-ocr-latest',
      document: { type: 'document_url', documentUrl: url },
      includeImageBase64: true,
      tableFormat: 'html',
      extractHeader: true,
      extractFooter: true,
      confidenceScoresGranularity: 'block',
    });
    expect(answer).toMatchObject({
      model: 'tesseract',
      usageInfo: { pagesProcessed: 2, docSizeBytes: pdf.length },
      pages: [
        {
          index: 0,
          header: 'A book of two pages',
          markdown:
            'The first page has a table and a picture.\n\n[tbl-0.html](tbl-0.html)\n\n![img-0.jpeg](img-0.jpeg)',
          tables: [
            {
              id: 'tbl-0.html',
              format: 'html',
              content: '<table><tr><th>Name</th><th>City</th></tr><tr><td>Anna</td><td>Paris</td></tr></table>',
            },
          ],
          images: [{ id: 'img-0.jpeg', imageBase64: expect.stringMatching(/^data:image\/jpeg;base64,/) }],
          blocks: [{ type: 'header' }, { type: 'text' }, { type: 'table' }, { type: 'image' }],
        },
        { index: 1 },
      ],
    });
    const byFile = await client.ocr.process({
      model: 'tesseract',
      document: { type: 'file', fileId: uploaded.id },
      pages: '1',
    });
    expect(byFile.pages.map(({ index }) => index)).toEqual([1]);
    await expect(
      client.ocr.process({ model: 'tesseract', document: { type: 'file', fileId: uploaded.id }, pages: [7] }),
    ).rejects.toMatchObject({ statusCode: 400 });
  },
  PATIENCE_MS,
);

describe.runIf(python)('the official Python SDK', () => {
  it(
    'reads documents [OCR-READ] [OCR-DOCUMENT]',
    async () => {
      const script = fileURLToPath(new URL('./ocr.py', import.meta.url));
      const stdout = await runPython(script, [server.url, server.key, file]);
      expect(JSON.parse(stdout)).toMatchObject({
        whole: {
          model: 'tesseract',
          usage_info: { pages_processed: 2 },
          pages: [
            {
              header: 'A book of two pages',
              tables: [{ id: 'tbl-0.html', format: 'html' }],
              confidence_scores: { average_page_confidence_score: 1 },
            },
            { index: 1 },
          ],
        },
        by_file: { pages: [{ index: 1 }] },
      });
    },
    PATIENCE_MS,
  );
});

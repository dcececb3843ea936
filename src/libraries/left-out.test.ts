import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onSqliteFirst, sqliteForTests } from '../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { json, startUpstream } from '../../test/support/upstream.ts';
import { makePdf, newPage, SENTENCES, writeLines } from '../engines/ocr/documents-for-tests.ts';
import { makeLibrary, textOf, upload, whenRead } from './libraries-for-tests.ts';
import type { Document, DocumentTextContent, LibraryPassage } from './schema.ts';

const PATIENCE_MS = 60_000;
const HEIGHT = 842;
const SIZE = 11;
const range = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at));
const sentence = (at: number) => `Employees of department ${at + 1} have ${at + 21} days of vacation.`;

type Page = { header?: string; footer?: string; body: string[] };

/** Pages with a line at this distance from an edge, in points, and text between. */
const book = (pages: Page[], distance = 30) =>
  makePdf((pdf, { plain }) => {
    for (const { header, footer, body } of pages) {
      const page = newPage(pdf);
      if (header) writeLines(page, plain, [header], { top: distance });
      writeLines(page, plain, body, { top: 200 });
      if (footer) writeLines(page, plain, [footer], { top: HEIGHT - distance - SIZE });
    }
  });

const text = (at: number) => [SENTENCES[at % SENTENCES.length] as string];
const contentOf = async (server: TestServer, { library_id, id }: Document, query = '') =>
  (await call(server, `/v1/libraries/${library_id}/documents/${id}/text_content${query}`)).body as DocumentTextContent;

onSqliteFirst('the text of a PDF', (database) => {
  let server: TestServer;
  let libraryId: string;
  beforeAll(async () => {
    server = await startTestServer(database, { file: { models: [{ id: 'tesseract', engine: 'tesseract' }] } });
    libraryId = (await makeLibrary(server)).id;
  }, PATIENCE_MS);

  it.each([30, 72, 120])(
    'is whole where pages begin or end with lines that differ in digits only, %d points from an edge',
    async (distance) => {
      for (const edge of ['header', 'footer'] as const) {
        const pdf = await book(
          range(5, (at) => ({ [edge]: sentence(at), body: text(at) })),
          distance,
        );
        const document = await upload(server, libraryId, `${edge}-${distance}.pdf`, pdf);
        const read = await textOf(server, document);
        expect(range(5, sentence).filter((line) => !read.includes(line))).toEqual([]);
        expect(await contentOf(server, document, '?left_out=true')).toMatchObject({ left_out: [] });
      }
    },
    PATIENCE_MS,
  );

  it(
    'is found where each page has one line',
    async () => {
      const document = await upload(
        server,
        libraryId,
        'lines.pdf',
        await book(range(12, (at) => ({ header: sentence(at), body: [] }))),
      );
      expect(document).toMatchObject({ process_status: 'done', number_of_pages: 12, reason: null });
      expect(await textOf(server, document)).toBe(range(12, sentence).join('\n\n'));
      const { body } = await call(server, `/v1/libraries/${libraryId}/search`, {
        body: { query: 'vacation department 7', mode: 'text', top_k: 50 },
      });
      const found = (body as { data: LibraryPassage[] }).data.filter(({ document_id }) => document_id === document.id);
      expect(found.map(({ text: passage }) => passage)).toContain(sentence(6));
    },
    PATIENCE_MS,
  );

  it(
    'is what a page has, also where all pages have the same and nothing else',
    async () => {
      const same = await upload(
        server,
        libraryId,
        'same.pdf',
        await book(range(4, () => ({ header: 'Form A', footer: 'Sign here', body: [] }))),
      );
      expect(await contentOf(server, same, '?left_out=true')).toEqual({
        text: range(4, () => 'Form A\n\nSign here').join('\n\n'),
        left_out: [],
      });
      const blank = range(4, (at) => ({ header: 'Annual report', body: at === 2 ? [] : text(at) }));
      const document = await upload(server, libraryId, 'blank.pdf', await book(blank));
      expect(await textOf(server, document, '?page_start=2&page_end=2')).toBe('Annual report');
    },
    PATIENCE_MS,
  );

  it(
    'has every word of a form that each page repeats, in its text or in what was left out',
    async () => {
      const names = ['Ada', 'Bob', 'Cy', 'Dan', 'Eve', 'Flo'];
      const form = (name: string) => [
        'Name:',
        name,
        'Reason for the request:',
        `The wish of ${name}`,
        'Place and date:',
      ];
      const pages = names.map((name) => ({ header: 'Request for vacation', footer: 'Signature:', body: form(name) }));
      const document = await upload(server, libraryId, 'forms.pdf', await book(pages));
      const { text: read, left_out } = await contentOf(server, document, '?left_out=true');
      expect(left_out).toEqual(
        range(6, (page) => [
          { page, text: 'Request for vacation' },
          { page, text: 'Signature:' },
        ]).flat(),
      );
      expect(read.replace(/\s+/g, ' ')).toBe(names.map((name) => form(name).join(' ')).join(' '));
    },
    PATIENCE_MS,
  );

  it(
    'comes without headers and footers, which are kept with the document and shown on request, by page',
    async () => {
      const pages = range(5, (at) => ({ header: 'Annual report', footer: `Page ${at + 1} of 5`, body: text(at) }));
      const document = await upload(server, libraryId, 'report.pdf', await book(pages));
      const whole = range(5, (at) => text(at)).join('\n\n');
      expect(await contentOf(server, document)).toEqual({ text: whole });
      const leftOut = (page: number) => [
        { page, text: 'Annual report' },
        { page, text: `Page ${page + 1} of 5` },
      ];
      expect(await contentOf(server, document, '?left_out=true')).toEqual({
        text: whole,
        left_out: range(5, leftOut).flat(),
      });
      expect(await contentOf(server, document, '?left_out=true&page_start=3&page_end=3')).toEqual({
        text: text(3).join(),
        left_out: leftOut(3),
      });
      const path = `/v1/libraries/${libraryId}/documents/${document.id}`;
      expect((await call(server, `${path}/text_content?left_out=perhaps`)).status).toBe(422);
      const { body } = await call(server, `${path}/chunks`);
      expect(JSON.stringify(body)).not.toContain('Annual report');
    },
    PATIENCE_MS,
  );

  it(
    'that was read before left-out lines were kept says so, until it is read again',
    async () => {
      const pages = range(3, (at) => ({ header: 'Old report', body: text(at) }));
      const document = await upload(server, libraryId, 'old.pdf', await book(pages));
      const { db } = server.platform.database;
      await db.updateTable('library_pages').set({ left_out: null }).where('document_id', '=', document.id).execute();
      expect(await contentOf(server, document, '?left_out=true')).toMatchObject({ left_out: null });
      await call(server, `/v1/libraries/${libraryId}/documents/${document.id}/reprocess`, { method: 'POST' });
      await whenRead(server, document);
      expect(await contentOf(server, document, '?left_out=true')).toMatchObject({
        left_out: range(3, (page) => ({ page, text: 'Old report' })),
      });
    },
    PATIENCE_MS,
  );
});

describe('a server that reads documents and knows no blocks', () => {
  it('has its headers and footers kept beside the text, and as the text of a page without any', async () => {
    const upstream = await startUpstream();
    const page = { images: [], dimensions: null, header: 'Annual report', footer: '1' };
    const pages = ['Sales fell.', ''].map((markdown, index) => ({ ...page, index, markdown }));
    upstream.answerWith((_, response) =>
      json(response, 200, { pages, model: 'm', usage_info: { pages_processed: 2 } }),
    );
    const server = await startTestServer(sqliteForTests(), {
      file: { models: [{ id: 'far', engine: 'upstream', url: upstream.url, upstream_model: 'm', kind: 'ocr' }] },
    });
    const document = await upload(server, (await makeLibrary(server)).id, 'a.pdf', await book([{ body: ['x'] }]));
    expect(await contentOf(server, document, '?left_out=true')).toEqual({
      text: 'Sales fell.\n\nAnnual report\n\n1',
      left_out: [
        { page: 0, text: 'Annual report' },
        { page: 0, text: '1' },
      ],
    });
  });
});

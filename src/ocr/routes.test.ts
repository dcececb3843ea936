import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { atEnd } from '../../test/support/cleanup.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { doublingSchema } from '../../test/support/expensive-schemas.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../../test/support/upstream.ts';
import { makePdf, makePicture, newPage, writeLines } from '../engines/ocr/documents-for-tests.ts';
import { uploaded } from '../files/upload-for-tests.ts';

const PATIENCE_MS = 60_000;
let server: TestServer;
let upstream: ScriptedUpstream;
let pdf: Uint8Array;
let address: string;

beforeAll(async () => {
  upstream = await startUpstream();
  pdf = await makePdf(async (document, { plain, bold }) => {
    for (const name of ['one', 'two', 'three']) {
      const page = newPage(document);
      writeLines(page, bold, [`Chapter ${name}`], { size: 24 });
      writeLines(page, plain, [`This is what chapter ${name} says about the matter.`], { top: 120 });
      page.drawImage(await document.embedPng(makePicture()), { x: 100, y: 400, width: 200, height: 120 });
    }
  });
  const elsewhere = createServer((request, response) => {
    if (request.url === '/large') response.end(Buffer.alloc(2 * 1024 * 1024));
    else response.writeHead(request.url === '/book.pdf' ? 200 : 404).end(pdf);
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  atEnd(() => void elsewhere.close());
  const { port } = elsewhere.address() as AddressInfo;
  address = `http://127.0.0.1:${port}`;
  server = await startTestServer(sqliteForTests(), {
    file: {
      models: [
        { id: 'tesseract', engine: 'tesseract', concurrency: 1, price: { prompt: 1_000_000 } },
        { id: 'far', engine: 'upstream', url: upstream.url, upstream_model: 'ocr-1', capabilities: { ocr: true } },
        { id: 'seer', engine: 'upstream', url: upstream.url, capabilities: { completion_chat: true, vision: true } },
      ],
      ocr: { document_limit_mib: 1 },
      outbound: { allow: [`127.0.0.1:${port}`] },
    },
  });
}, PATIENCE_MS);

type Page = Record<string, unknown> & { index: number; markdown: string; images: Record<string, unknown>[] };
type Body = { pages: Page[]; model: string; usage_info: unknown; document_annotation: string | null; message: string };
const inline = () => ({
  type: 'document_url',
  document_url: `data:application/pdf;base64,${Buffer.from(pdf).toString('base64')}`,
});
async function ocr(body: Record<string, unknown>, key = server.key) {
  const answer = await call({ ...server, key }, '/v1/ocr', {
    body: { model: 'tesseract', document: inline(), ...body },
  });
  return { ...answer, body: answer.body as Body };
}

describe('200', () => {
  it(
    'a document in the request is read, page by page [OCR-READ] [OCR-DOCUMENT] [OCR-BLOCKS]',
    async () => {
      const { status, body, headers } = await ocr({});
      expect({ status, count: headers.get('tramontane-document-pages') }).toEqual({ status: 200, count: '3' });
      expect(body).toMatchObject({
        model: 'tesseract',
        usage_info: { pages_processed: 3, doc_size_bytes: pdf.length },
        document_annotation: null,
        pages: [{ index: 0 }, { index: 1 }, { index: 2 }],
      });
      const [page] = body.pages;
      expect(page?.markdown).toBe(
        '# Chapter one\n\nThis is what chapter one says about the matter.\n\n![img-0.jpeg](img-0.jpeg)',
      );
      expect(page).toMatchObject({
        dimensions: { dpi: 200, width: 1653, height: 2339 },
        images: [{ id: 'img-0.jpeg', image_base64: null, image_annotation: null }],
        tables: [],
        hyperlinks: [],
        header: null,
        footer: null,
        confidence_scores: null,
        blocks: [
          { type: 'title', content: '# Chapter one' },
          { type: 'text' },
          { type: 'image', image_id: 'img-0.jpeg' },
        ],
      });
    },
    PATIENCE_MS,
  );

  it(
    'a file, an address, and a signed address of this server are read likewise [OCR-DOCUMENT]',
    async () => {
      const { id } = await uploaded(server, pdf, { purpose: 'ocr' }, { filename: 'book.pdf', type: 'application/pdf' });
      const signed = (await call(server, `/v1/files/${id}/url`)).body as { url: string };
      for (const document of [
        { type: 'file', file_id: id },
        { file_id: id },
        { type: 'document_url', document_url: `${address}/book.pdf`, document_name: 'book' },
        { type: 'document_url', document_url: signed.url },
        { type: 'image_url', image_url: { url: `${address}/book.pdf` } },
      ]) {
        const { status, body } = await ocr({ document, pages: [1] });
        expect({ status, read: body.pages?.[0]?.markdown }).toMatchObject({
          status: 200,
          read: expect.stringContaining('Chapter two'),
        });
      }
    },
    PATIENCE_MS,
  );

  it('pages are a list or ranges, in the order asked for [OCR-PAGES]', async () => {
    const indexes = async (pages: unknown) => (await ocr({ pages })).body.pages.map(({ index }) => index);
    expect(await indexes([2, 0])).toEqual([2, 0]);
    expect(await indexes('1-2')).toEqual([1, 2]);
    expect(await indexes('2, 0 - 1')).toEqual([2, 0, 1]);
    expect(await indexes(null)).toEqual([0, 1, 2]);
  });

  it('every parameter is heard [OCR-BLOCKS] [OCR-CONFIDENCE] [OCR-IMAGES] [OCR-TABLES] [OCR-MARGINS]', async () => {
    const { body } = await ocr({
      pages: [0],
      include_blocks: false,
      include_image_base64: true,
      confidence_scores_granularity: 'word',
      table_format: 'html',
      extract_header: true,
      extract_footer: true,
    });
    expect(body.pages).toMatchObject([
      {
        blocks: null,
        tables: [],
        header: null,
        footer: null,
        images: [{ image_base64: expect.stringMatching(/^data:image\/jpeg;base64,/) }],
        confidence_scores: { average_page_confidence_score: 1, word_confidence_scores: expect.any(Array) },
      },
    ]);
    expect((await ocr({ pages: [0], image_limit: 0 })).body.pages).toMatchObject([{ images: [] }]);
    expect((await ocr({ pages: [0], image_min_size: 1000 })).body.pages).toMatchObject([{ images: [] }]);
  });

  it('without a model, and by the names of public samples, the first that reads is asked', async () => {
    expect((await ocr({ model: null, pages: [0] })).body.model).toBe('tesseract');
    expect((await ocr({ model: 'mistral-ocr-latest', pages: [0] })).body.model).toBe('tesseract');
    const { body } = await call(server, '/v1/models/tesseract');
    expect(body).toMatchObject({ capabilities: { ocr: true, completion_chat: false } });
  });

  it('annotations are answers of a chat model, of the document and of each picture [OCR-ANNOTATIONS]', async () => {
    const schema = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
    const format = { type: 'json_schema', json_schema: { name: 'book', schema } };
    const before = upstream.calls.length;
    upstream.answerWith((_, response) => json(response, 200, completion('{"title":"A book"}')));
    const { body } = await ocr({
      pages: '0-1',
      bbox_annotation_format: format,
      document_annotation_format: format,
      document_annotation_prompt: 'Call it what it is.',
    });
    expect(body.document_annotation).toBe('{"title":"A book"}');
    expect(body.pages.flatMap(({ images }) => images)).toMatchObject([
      { image_annotation: '{"title":"A book"}', image_base64: null },
      { image_annotation: '{"title":"A book"}', image_base64: null },
    ]);
    const asked = upstream.calls.slice(before).map((one) => JSON.stringify(one.body));
    expect(asked).toHaveLength(3);
    expect(asked.filter((text) => text.includes('data:image/jpeg;base64,'))).toHaveLength(2);
    expect(asked.find((text) => text.includes('Call it what it is.'))).toContain('chapter two says');
  });

  it('an upstream model is asked with the document and the same parameters', async () => {
    const page = { index: 0, markdown: '# Far away', images: [], dimensions: { dpi: 72, width: 10, height: 10 } };
    upstream.answerWith((_, response) =>
      json(response, 200, { pages: [page], model: 'x', usage_info: { pages_processed: 1 } }),
    );
    const { status, body } = await ocr({ model: 'far', pages: '0-1,2', table_format: 'html', extract_header: true });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { model: 'far', pages: [{ markdown: '# Far away', blocks: null }] },
    });
    expect(upstream.calls.at(-1)).toMatchObject({
      path: '/v1/ocr',
      body: { model: 'ocr-1', pages: '0-1,2', table_format: 'html', extract_header: true, document: inline() },
    });
    upstream.answerWith((_, response) => json(response, 200, { text: 'what?' }));
    expect(await ocr({ model: 'far' })).toMatchObject({ status: 502 });
  });

  it(
    'pages are counted in the ledger, and cost what the model says [OCR-USAGE]',
    async () => {
      const { db } = server.platform.database;
      const records = () =>
        db.selectFrom('usage_records').selectAll().where('kind', '=', 'ocr').where('prompt_tokens', '=', 2).execute();
      const before = (await records()).length;
      await ocr({ pages: '0-1' });
      let found = await records();
      // The ledger writes within a second, in a turn of its own.
      while (found.length === before) {
        await sleep(20);
        found = await records();
      }
      expect(found.at(-1)).toMatchObject({
        model: 'tesseract',
        completion_tokens: 0,
        cost_micros: 2_000_000,
        status: 200,
      });
    },
    PATIENCE_MS,
  );

  it(
    'a batch job reads documents, and a bad one is an error line [OCR-BATCH]',
    async () => {
      const requests = [
        { custom_id: 'a', body: { document: inline(), pages: [0] } },
        { custom_id: 'b', body: { document: inline(), pages: [9] } },
      ];
      const made = await call(server, '/v1/batch/jobs', {
        body: { endpoint: '/v1/ocr', model: 'tesseract', requests },
      });
      const path = `/v1/batch/jobs/${(made.body as { id: string }).id}?inline=true`;
      let job = (await call(server, path)).body as { status: string; outputs: unknown[] };
      while (['QUEUED', 'RUNNING'].includes(job.status)) job = (await call(server, path)).body as typeof job;
      expect(job).toMatchObject({ status: 'SUCCESS', succeeded_requests: 1, failed_requests: 1 });
      expect(JSON.stringify(job.outputs)).toContain('Chapter one');
    },
    PATIENCE_MS,
  );
});

describe('400', () => {
  it.each([
    ['an unknown model', { model: 'nobody' }, 'Invalid model: nobody'],
    ['a model that does not read', { model: 'seer' }, "The model 'seer' cannot read documents."],
    [
      'a page that is not there [OCR-PAGES]',
      { pages: [3] },
      'The document has 3 pages, counted from 0; there is no page 3.',
    ],
    ['text', { document: { document_url: 'data:text/plain;base64,aGVsbG8=' } }, 'The document is neither a PDF nor'],
    ['no address', { document: { document_url: 'file:///etc/passwd' } }, 'neither an http address nor a data address'],
    ['an address that the guard refuses', { document: { document_url: 'http://127.0.0.1:1/x' } }, 'is not allowed'],
    ['empty data', { document: { image_url: 'data:image/png;base64,' } }, 'holds no document'],
  ])('%s', async (_name, body, message) => {
    expect(await ocr(body)).toMatchObject({
      status: 400,
      body: { object: 'error', message: expect.stringContaining(message) },
    });
  });

  it('an address that answers with an error', async () => {
    const document = { type: 'document_url', document_url: `${address}/missing` };
    expect(await ocr({ document })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('answered 404') },
    });
  });
});

it('401 without a key, 403 without the permission', async () => {
  expect(await ocr({}, 'nonsense')).toMatchObject({ status: 401 });
  expect(await ocr({}, await addColleague(server, 'billing'))).toMatchObject({ status: 403 });
});

it('404 for a file of another workspace, in the words of one that is missing', async () => {
  const { id } = await uploaded(server, pdf, { purpose: 'ocr' });
  const missing = '0198c0de-5a1f-7cc4-9d57-0b7c2f7f4d11';
  const stranger = await addStranger(server);
  const [theirs, none] = [
    await ocr({ document: { file_id: id } }, stranger),
    await ocr({ document: { file_id: missing } }, stranger),
  ];
  expect([theirs.status, none.status]).toEqual([404, 404]);
  expect(theirs.text.replace(id, missing)).toBe(none.text);
});

it('413 for a document that is larger than it may be, wherever it is', async () => {
  const large = Buffer.alloc(1024 * 1024 + 1);
  const { id } = await uploaded(server, large, { purpose: 'ocr' });
  for (const document of [
    { file_id: id },
    { document_url: `data:application/pdf;base64,${large.toString('base64')}` },
    { document_url: `${address}/large` },
  ])
    expect(await ocr({ document })).toMatchObject({
      status: 413,
      body: { message: 'The document is larger than 1 MiB.' },
    });
});

describe('422', () => {
  it.each([
    ['an unknown property', { surprise: 1 }, ['body', 'surprise']],
    ['a wrong type of pages [OCR-PAGES]', { pages: { from: 0 } }, ['body', 'pages']],
    ['a range that is none [OCR-PAGES]', { pages: '0-2,x' }, ['body', 'pages']],
    ['a range that ends before it begins', { pages: '4-2' }, ['body', 'pages']],
    ['a negative page', { pages: [-1] }, ['body', 'pages']],
    ['no page at all', { pages: [] }, ['body', 'pages']],
    ['another table format [OCR-TABLES]', { table_format: 'csv' }, ['body', 'table_format']],
    [
      'another granularity [OCR-CONFIDENCE]',
      { confidence_scores_granularity: 'line' },
      ['body', 'confidence_scores_granularity'],
    ],
    [
      'an annotation without a schema [OCR-ANNOTATIONS]',
      { document_annotation_format: { type: 'text' } },
      ['body', 'document_annotation_format'],
    ],
    ['a document of no kind', { document: { type: 'audio' } }, ['body', 'document']],
  ])('%s', async (_name, body, place) => {
    const answer = await ocr(body);
    expect(answer.status).toBe(422);
    const { detail } = answer.body as unknown as { detail: { loc: string[] }[] };
    expect(detail[0]?.loc.slice(0, place.length)).toEqual(place);
  });

  it.each(['bbox_annotation_format', 'document_annotation_format'])('a %s that is too expensive', async (name) => {
    const asked = upstream.calls.length;
    const { status, body } = await ocr({
      [name]: { type: 'json_schema', json_schema: { name: 'costly', schema: doublingSchema } },
    });
    const { detail } = body as unknown as { detail: { type: string; loc: string[] }[] };
    expect({ status, type: detail[0]?.type }).toEqual({ status: 422, type: 'schema_too_expensive' });
    expect(detail[0]?.loc.slice(0, 2)).toEqual(['body', name]);
    expect(upstream.calls).toHaveLength(asked);
  });
});

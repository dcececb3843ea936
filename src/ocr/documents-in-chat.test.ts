import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Mistral } from '@mistralai/mistralai';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { atEnd } from '../../test/support/cleanup.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../../test/support/upstream.ts';
import { makePdf, makePicture, newPage, writeLines } from '../engines/ocr/documents-for-tests.ts';
import { uploaded } from '../files/upload-for-tests.ts';

let server: TestServer;
let upstream: ScriptedUpstream;
let pdf: Uint8Array;
let address: string;
let fetches = 0;

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.answerWith((_call, response) => json(response, 200, completion('Herons.')));
  pdf = await makePdf(async (document, { plain }) => {
    for (const name of ['one', 'two', 'three']) {
      const page = newPage(document);
      writeLines(page, plain, [`Chapter ${name} is about herons.`]);
      page.drawImage(await document.embedPng(makePicture()), { x: 100, y: 400, width: 200, height: 120 });
    }
  });
  const elsewhere = createServer((_request, response) => {
    fetches += 1;
    response.end(pdf);
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  atEnd(() => void elsewhere.close());
  address = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  server = await startTestServer(sqliteForTests(), {
    file: {
      models: [
        { id: 'tesseract', engine: 'tesseract', concurrency: 1, price: { prompt: 1_000_000 } },
        { id: 'reader', engine: 'upstream', url: upstream.url, capabilities: { completion_chat: true } },
        { id: 'seer', engine: 'upstream', url: upstream.url, capabilities: { completion_chat: true, vision: true } },
      ],
      outbound: { allow: [new URL(address).host] },
    },
  });
}, 60_000);

const inline = () => `data:application/pdf;base64,${Buffer.from(pdf).toString('base64')}`;
const question = { type: 'text', text: 'What is it about?' };

type Asked = { key?: string; model?: string; document_image_limit?: number; document_page_limit?: number };

/** What the model server was sent for one chat, and how it was answered. */
async function chat(chunk: Record<string, unknown>, { key = server.key, model = 'reader', ...rest }: Asked = {}) {
  const before = upstream.calls.length;
  const answer = await call({ ...server, key }, '/v1/chat/completions', {
    body: { model, messages: [{ role: 'user', content: [chunk, question] }], ...rest },
  });
  const sent = upstream.calls[before]?.body as { messages: { content: unknown }[] } | undefined;
  const content = sent?.messages.at(-1)?.content;
  const parts = (typeof content === 'string' ? [{ type: 'text', text: content }] : content) as
    | { type: string; text?: string; image_url?: { url: string } }[]
    | undefined;
  return { ...answer, parts, text: parts?.map(({ text }) => text ?? '').join('\n') };
}

/** The pages and the chats on the ledger, which is written within a second. */
async function ledger(): Promise<{ pages: number; chats: number }> {
  const { db } = server.platform.database;
  const rows = await db.selectFrom('usage_records').select(['kind', 'prompt_tokens']).execute();
  const pages = rows.filter(({ kind }) => kind === 'ocr').reduce((sum, row) => sum + Number(row.prompt_tokens), 0);
  return { pages, chats: rows.filter(({ kind }) => kind === 'chat').length };
}

describe('a document in a message', () => {
  it('reaches the model as text, whether it is sent, a file or an address', async () => {
    const { id } = await uploaded(server, pdf, { purpose: 'ocr' }, { filename: 'book.pdf', type: 'application/pdf' });
    for (const chunk of [
      { type: 'document_url', document_url: inline(), document_name: 'Birds' },
      { type: 'document_url', document_url: `${address}/book.pdf` },
      { type: 'file', file_id: id },
    ]) {
      const { status, text, parts } = await chat(chunk);
      expect(status).toBe(200);
      expect(text).toContain('Chapter one is about herons.');
      expect(text).toContain('Chapter three is about herons.');
      expect(text).toContain('What is it about?');
      expect(parts?.every(({ type }) => type === 'text')).toBe(true);
      if ('document_name' in chunk) expect(text).toMatch(/^\[Document "Birds"\]/);
    }
    const note = await uploaded(server, Buffer.from('Storks nest here.'), { purpose: 'ocr' }, { filename: 'note.txt' });
    expect((await chat({ type: 'file', file_id: note.id })).text).toContain('Storks nest here.');
  });

  it('brings its pictures to a model that sees, within both limits', async () => {
    const chunk = { type: 'document_url', document_url: inline() };
    const pictures = (parts: Awaited<ReturnType<typeof chat>>['parts']) =>
      parts?.filter(({ type }) => type === 'image_url').map(({ image_url }) => image_url?.url.slice(0, 15));
    const all = await chat(chunk, { model: 'seer' });
    expect(pictures(all.parts)).toEqual(Array(3).fill('data:image/jpeg'));
    const some = await chat(chunk, { model: 'seer', document_image_limit: 1, document_page_limit: 2 });
    expect(pictures(some.parts)).toHaveLength(1);
    expect(some.text).toContain('[Document, the first 2 of 3 pages]');
    expect(some.text).toContain('Chapter two');
    expect(some.text).not.toContain('Chapter three');
  });

  it('is read, fetched and billed once for all turns', async () => {
    const other = await makePdf((document, { plain }) => {
      writeLines(newPage(document), plain, ['Only once.']);
    });
    pdf = other;
    const fetchesBefore = fetches;
    await expect.poll(async () => (await ledger()).chats).toBe(upstream.calls.length);
    const before = await ledger();
    for (let turn = 0; turn < 3; turn++)
      expect((await chat({ type: 'document_url', document_url: `${address}/once.pdf` })).text).toContain('Only once.');
    expect((await chat({ type: 'document_url', document_url: inline() })).text).toContain('Only once.');
    expect(fetches).toBe(fetchesBefore + 1);
    await expect.poll(ledger).toEqual({ pages: before.pages + 1, chats: before.chats + 4 });
  });

  it('works in conversations and with the official SDK', async () => {
    const client = new Mistral({ serverURL: server.url, apiKey: server.key });
    const content = [
      { type: 'document_url' as const, documentUrl: inline() },
      { type: 'text' as const, text: 'And?' },
    ];
    const answer = await client.chat.complete({ model: 'reader', messages: [{ role: 'user', content }] });
    expect(answer.choices?.[0]?.message?.content).toBe('Herons.');
    const conversation = await client.beta.conversations.start({
      model: 'reader',
      inputs: [{ type: 'message.input', role: 'user', content }],
    });
    expect(conversation.outputs).toHaveLength(1);
    expect(JSON.stringify(upstream.calls.at(-1)?.body)).toContain('Only once.');
  });
});

describe('is refused with a reason', () => {
  it.each<[string, Record<string, unknown>, number, string]>([
    ['no document', { type: 'document_url', document_url: 'data:application/pdf;base64,AAAA' }, 400, 'neither a PDF'],
    ['no address', { type: 'document_url', document_url: 'file:///etc/passwd' }, 400, 'neither an http address'],
    ['a private address', { type: 'document_url', document_url: 'http://127.0.0.1:9/x' }, 400, 'not allowed'],
    ['a file that is not there', { type: 'file', file_id: crypto.randomUUID() }, 404, ''],
    [
      'audio at a private address',
      { type: 'input_audio', input_audio: 'http://127.0.0.1:9/a.mp3' },
      400,
      'not allowed',
    ],
    ['audio at no address', { type: 'input_audio', input_audio: 'file:///etc/passwd' }, 400, 'neither base64'],
  ])('%s', async (_, chunk, status, words) => {
    const answer = await chat(chunk);
    expect(answer).toMatchObject({ status, parts: undefined });
    expect(JSON.stringify(answer.body)).toContain(words);
  });

  it("another workspace's file, as if it did not exist", async () => {
    const { id } = await uploaded(server, pdf, { purpose: 'ocr' }, { filename: 'a.pdf', type: 'application/pdf' });
    expect((await chat({ type: 'file', file_id: id })).status).toBe(200);
    const key = await addStranger(server);
    expect((await chat({ type: 'file', file_id: id }, { key })).status).toBe(404);
  });

  it('more than sixteen', async () => {
    const content = Array.from({ length: 17 }, () => ({ type: 'document_url', document_url: inline() }));
    const answer = await call(server, '/v1/chat/completions', {
      body: { model: 'reader', messages: [{ role: 'user', content }] },
    });
    expect(answer.status).toBe(400);
  });
});

import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import pino from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { atEnd } from '../../../test/support/cleanup.ts';
import { temporaryDir } from '../../../test/support/databases.ts';
import { createBlobs } from '../blobs/index.ts';
import { createHttpServer, type Idempotency, raw, route } from './index.ts';

const dir = join(temporaryDir(), 'blobs');
const blobs = createBlobs({ dir });
const MEBIBYTE = 1024 * 1024;

/** Lets a test stop the taker of an upload, or look at how far it is. */
let taken = 0;
let gate: Promise<void> = Promise.resolve();
let given = 0;

async function* counted(content: AsyncIterable<Uint8Array>) {
  for await (const chunk of content) {
    taken += chunk.length;
    await gate;
    yield chunk;
  }
}

async function* endless() {
  for (;;) {
    given += 64 * 1024;
    yield new Uint8Array(64 * 1024);
  }
}

const idempotency: Idempotency = { run: (_call, work) => work(), sweep: async () => 0 };
let port: number;
beforeAll(async () => {
  const { app, drain } = createHttpServer({
    authenticate: () => undefined,
    log: pino({ level: 'silent' }),
    idempotency,
    bodyTimeouts: { wholeMs: 300, idleMs: 600 },
    routes: [
      route({
        method: 'POST',
        path: '/upload',
        operationId: 'upload',
        summary: 'Take a file',
        permission: 'public',
        upload: {
          part: 'file',
          bytesMax: () => 100 * MEBIBYTE,
          stage: (content, bytesMax) => blobs.stage(counted(content), { bytesMax }),
        },
        body: z.strictObject({ note: z.string().optional() }),
        response: z.object({ bytes: z.number(), filename: z.string(), note: z.string().optional() }),
        handler: ({ body, upload }) => ({ bytes: upload.content.bytes, filename: upload.filename, ...body }),
      }),
      route({
        method: 'POST',
        path: '/json',
        operationId: 'json',
        summary: 'Take JSON',
        permission: 'public',
        body: z.strictObject({}),
        response: z.object({}),
        handler: () => ({}),
      }),
      route({
        method: 'GET',
        path: '/endless',
        operationId: 'endless',
        summary: 'Give without an end',
        permission: 'public',
        downloads: 'application/octet-stream',
        handler: () => raw(endless(), 'application/octet-stream'),
      }),
    ],
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as { port: number }).port;
  atEnd(() => drain(0));
});

const leftovers = () => readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const head = (path: string, headers: string[]) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`;
const FILE_HEAD = '--b\r\ncontent-disposition: form-data; name="file"; filename="f.bin"\r\n\r\n';
const MULTIPART = 'content-type: multipart/form-data; boundary=b';

async function dial(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

/** What the server says until it closes, or until it has said enough. */
function answerOf(socket: Socket, enough = /\r\n\r\n[\s\S]*\}$/): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
      if (enough.test(text)) resolve(text);
    });
    socket.on('error', () => resolve(text));
    socket.on('close', () => resolve(text));
  });
}

async function post(body: string, headers: Record<string, string> = {}, path = '/upload') {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'multipart/form-data; boundary=b', ...headers },
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const part = (disposition: string, content: string) =>
  `--b\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
const file = part('name="file"; filename="f.bin"', 'hello');

describe('an upload', () => {
  it('is read with its fields, and what its handler does not keep is gone', async () => {
    expect(await post(`${file}${part('name="note"', 'ö')}--b--\r\n`)).toEqual({
      status: 200,
      body: { bytes: 5, filename: 'f.bin', note: 'ö' },
    });
    expect(leftovers()).toEqual([]);
  });

  it('is taken from the socket only as quickly as it is written away', async () => {
    const { promise, resolve: openGate } = Promise.withResolvers<void>();
    [taken, gate] = [0, promise];
    const socket = await dial();
    socket.write(head('/upload', [MULTIPART, `content-length: ${64 * MEBIBYTE + FILE_HEAD.length + 9}`]) + FILE_HEAD);
    const chunk = Buffer.alloc(MEBIBYTE, 'x');
    let sent = 0;
    // Writes until the system takes no more because nobody reads at the other end.
    await new Promise<void>((resolve) => {
      const write = () => {
        if (sent === 64) return resolve();
        sent += 1;
        const stalled = setTimeout(resolve, 400);
        socket.write(chunk, () => {
          clearTimeout(stalled);
          write();
        });
      };
      write();
    });
    expect(sent).toBeLessThan(32);
    expect(taken).toBeLessThan(MEBIBYTE);
    openGate();
    const answered = answerOf(socket);
    for (; sent < 64; sent += 1) socket.write(chunk);
    socket.write('\r\n--b--\r\n');
    expect(await answered).toContain(`{"bytes":${64 * MEBIBYTE},"filename":"f.bin"}`);
    socket.destroy();
  });

  it('that its client breaks off leaves nothing', async () => {
    const socket = await dial();
    taken = 0;
    socket.write(`${head('/upload', [MULTIPART, 'content-length: 1000000'])}${FILE_HEAD}${'x'.repeat(300_000)}`);
    await expect.poll(() => taken).toBeGreaterThan(200_000);
    expect(leftovers()).toHaveLength(1);
    socket.destroy();
    await expect.poll(leftovers).toEqual([]);
  });

  it('that ends in the middle of the headers of a part is refused, however long they are', async () => {
    const endless = `--b\r\nx: ${'a'.repeat(MEBIBYTE)}\r\n--b--\r\n`;
    for (const body of [endless, `${file}${endless}`, endless.slice(0, 100)])
      expect(await post(body)).toMatchObject({ status: 422, body: { detail: [{ type: 'multipart_invalid' }] } });
    expect(leftovers()).toEqual([]);
  });

  it('that says it is too large is refused before it is sent', async () => {
    const socket = await dial();
    socket.write(head('/upload', [MULTIPART, `content-length: ${200 * MEBIBYTE}`]));
    expect(await answerOf(socket)).toMatch(/^HTTP\/1\.1 413 [\s\S]*The file is larger than 104857600 bytes/);
    socket.destroy();
  });

  it.each([
    ['no boundary', file, { 'content-type': 'multipart/form-data' }],
    ['another boundary', file, { 'content-type': 'multipart/form-data; boundary=other' }],
    ['no end', file, {}],
    ['nothing', '', {}],
    ['too many parts', `${part('name="x"', '1').repeat(40)}${file}--b--\r\n`, {}],
  ])('with %s is 422 and leaves nothing', async (_name, body, headers) => {
    expect(await post(body, headers)).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'multipart_invalid', loc: ['body'] }] },
    });
    expect(leftovers()).toEqual([]);
  });

  it.each([
    ['no file', part('name="note"', 'x'), 'missing', 'file'],
    ['a text where the file belongs', part('name="file"', 'x'), 'value_error', 'file'],
    ['two files', file + file, 'extra_forbidden', 'file'],
    ['a file by another name', file + part('name="other"; filename="o"', 'x'), 'extra_forbidden', 'other'],
    ['a field twice', file + part('name="note"', 'x').repeat(2), 'value_error', 'note'],
    ['a part without a name', file + part('', 'x'), 'value_error', ''],
    ['an endless field', file + part('name="note"', 'x'.repeat(70_000)), 'value_error', 'note'],
    ['an unknown field', file + part('name="constructor"', 'x'), 'extra_forbidden', 'constructor'],
  ])('with %s is 422 and leaves nothing', async (_name, body, type, name) => {
    const answer = await post(`${body}--b--\r\n`);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toContainEqual(expect.objectContaining({ type, loc: ['body', name] }));
    expect(leftovers()).toEqual([]);
  });

  it('is 415 in another type, packed, or where JSON is asked for', async () => {
    expect(await post('{}', { 'content-type': 'application/json' })).toMatchObject({
      status: 415,
      body: { message: 'Send the body as multipart/form-data.' },
    });
    expect((await post('x', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post(`${file}--b--\r\n`, { 'content-encoding': 'gzip' })).status).toBe(415);
    expect((await post(`${file}--b--\r\n`, {}, '/json')).status).toBe(415);
  });
});

describe('a body that dawdles', () => {
  it('is cut off with 408 after its time, when it is JSON', async () => {
    const socket = await dial();
    socket.write(`${head('/json', ['content-type: application/json', 'content-length: 1000'])}{`);
    const drip = setInterval(() => socket.write(' '), 50);
    expect(await answerOf(socket)).toMatch(/^HTTP\/1\.1 408 /);
    clearInterval(drip);
  });

  it('may take its time when it is an upload that moves, and is cut off with 408 when it rests', async () => {
    const socket = await dial();
    socket.write(`${head('/upload', [MULTIPART, 'content-length: 1000000'])}${FILE_HEAD}`);
    const answered = answerOf(socket);
    let isAnswered = false;
    void answered.then(() => (isAnswered = true));
    for (let i = 0; i < 20; i++) {
      socket.write('x');
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    expect(isAnswered).toBe(false);
    expect(await answered).toMatch(/^HTTP\/1\.1 408 /);
    await expect.poll(leftovers).toEqual([]);
  });
});

it('a download is read only as quickly as the client takes it', async () => {
  given = 0;
  const socket = await dial();
  socket.pause();
  socket.write('GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n');
  let before = -1;
  await expect
    .poll(
      () => {
        const rests = given > 0 && given === before;
        before = given;
        return rests;
      },
      { interval: 200, timeout: 20_000 },
    )
    .toBe(true);
  expect(given).toBeLessThan(16 * MEBIBYTE);
  socket.destroy();
});

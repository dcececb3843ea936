import type { IncomingHttpHeaders } from 'node:http';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ResponseParser } from './response-parser.ts';

type Read = { status: number[]; headers: IncomingHttpHeaders; body: string; pieces: number; end: string | undefined };

/** Reads a response that arrives in these pieces. */
function read(...pieces: (string | Buffer)[]): Read & { parser: ResponseParser } {
  const seen: Read = { status: [], headers: {}, body: '', pieces: 0, end: undefined };
  const parser = new ResponseParser({
    onResponseStart: (status, headers) => {
      seen.status.push(status);
      seen.headers = headers;
    },
    onResponseData: (data) => {
      seen.body += data.toString('latin1');
      seen.pieces++;
    },
    onResponseEnd: (isReusable, keepAliveMs) => {
      seen.end = `${isReusable ? 'reusable' : 'spent'} ${keepAliveMs ?? ''}`.trim();
    },
  });
  // One buffer for all reads, with the rest of an earlier one behind: as the sockets have it.
  const shared = Buffer.alloc(70_000, '\r\n\r\n');
  for (const piece of pieces) {
    const length = shared.write(piece.toString('latin1'), 'latin1');
    parser.push(shared, length);
  }
  return Object.assign(seen, { parser });
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n';

it('reads a body by its length, in one piece, and keeps the connection', () => {
  const seen = read(`${OK}Content-Length: 5\r\nKeep-Alive: timeout=5, max=10\r\n\r\nhello`);
  expect(seen).toMatchObject({ status: [200], body: 'hello', pieces: 1, end: 'reusable 4000' });
  expect(seen.headers).toMatchObject({ 'content-type': 'text/plain', 'content-length': '5' });
});

it('joins the chunks of one read', () => {
  const seen = read(
    `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;name="x"\r\n,\r\nA\r\n 123456789\r\n0\r\nx: y\r\n\r\n`,
  );
  expect(seen).toMatchObject({ body: 'hello, 123456789', pieces: 1, end: 'reusable' });
});

it('a body without a length ends with the connection, which is spent', () => {
  const seen = read(`${OK}\r\nhel`, 'lo');
  expect(seen).toMatchObject({ body: 'hello', end: undefined });
  expect(seen.parser.end()).toBe(true);
  expect(seen.end).toBe('spent');
});

it('a response that is cut off is not whole', () => {
  for (const cut of [
    'HTTP/1.1 200',
    `${OK}content-length: 5\r\n\r\nhell`,
    `${OK}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`,
  ])
    expect(read(cut).parser.end(), cut).toBe(false);
});

it('tells interim responses apart, and needs no body where there is none', () => {
  expect(read('HTTP/1.1 103 Early\r\nlink: x\r\n\r\n', `${OK}content-length: 0\r\n\r\n`)).toMatchObject({
    status: [103, 200],
    body: '',
    end: 'reusable',
  });
  expect(read('HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n')).toMatchObject({ end: 'reusable' });
});

it('does not keep a connection that is to be closed, or that has more bytes than it should', () => {
  const body = 'content-length: 2\r\n\r\n{}';
  expect(read(`${OK}connection: close\r\n${body}`).end).toBe('spent');
  expect(read(`HTTP/1.0 200 OK\r\n${body}`).end).toBe('spent');
  expect(read(`HTTP/1.0 200 OK\r\nconnection: keep-alive\r\n${body}`).end).toBe('reusable');
  expect(read(`${OK}${body}HTTP/1.1 200 OK\r\n`).end).toBe('spent');
  expect(read(`${OK}transfer-encoding: chunked\r\n\r\n0\r\n\r\nmore`).end).toBe('spent');
});

it.each([
  ['no status', 'HELLO\r\n\r\n'],
  ['another version', 'HTTP/2 200 OK\r\n\r\n'],
  ['a change of protocol', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n'],
  ['a header without a name', `${OK}: x\r\n\r\n`],
  ['a header without a colon', `${OK}x\r\n\r\n`],
  ['a folded header', `${OK}a: b\r\n c\r\n\r\n`],
  ['a space before the colon', `${OK}content-length : 2\r\n\r\n{}`],
  ['a line break in a value', `${OK}a: b\nc: d\r\n\r\n`],
  ['two lengths', `${OK}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`],
  ['a length that is no number', `${OK}content-length: 2x\r\n\r\n{}`],
  ['a length and chunks', `${OK}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['an unknown encoding', `${OK}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
  ['a head without end', `${OK}x: ${'y'.repeat(17_000)}`],
  ['a chunk without a size', `${OK}transfer-encoding: chunked\r\n\r\n\r\nhello`],
  ['a size that is no number', `${OK}transfer-encoding: chunked\r\n\r\n-5\r\nhello`],
  ['a size beyond all numbers', `${OK}transfer-encoding: chunked\r\n\r\n${'f'.repeat(13)}\r\nhello`],
  ['a chunk that is longer than its size', `${OK}transfer-encoding: chunked\r\n\r\n2\r\nhello\r\n`],
  ['an extension without end', `${OK}transfer-encoding: chunked\r\n\r\n2;${'x'.repeat(300)}`],
  ['trailers without end', `${OK}transfer-encoding: chunked\r\n\r\n0\r\n${'x: y\r\n'.repeat(4000)}`],
])('refuses %s', (_, text) => {
  expect(() => read(text)).toThrow('The response is not HTTP');
});

it('reads the same wherever the bytes are cut', () => {
  const body = fc.array(fc.string({ unit: fc.constantFrom('a', '\r', '\n', '0', ';', 'é') }), { maxLength: 8 });
  const cuts = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 12 });
  fc.assert(
    fc.property(fc.tuple(body, cuts, fc.constantFrom('chunked', 'length')), ([parts, places, framing]) => {
      const whole = parts.join('');
      const chunks = parts.filter((part) => part !== '').map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
      const text =
        framing === 'chunked'
          ? `${OK}transfer-encoding: chunked\r\n\r\n${chunks.join('')}0\r\n\r\n`
          : `${OK}content-length: ${whole.length}\r\n\r\n${whole}`;
      const at = [...new Set([0, ...places.filter((place) => place < text.length), text.length])].sort((a, b) => a - b);
      const pieces = at.slice(1).map((end, i) => text.slice(at[i], end));
      expect(read(...pieces)).toMatchObject({ status: [200], body: whole, end: 'reusable' });
    }),
  );
});

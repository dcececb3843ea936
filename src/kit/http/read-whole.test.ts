import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { giveBack, readWhole } from './read-whole.ts';

const BYTES_MAX = 10;
type Outcome = { text: string } | { failed: string };

describe('the body of a request', () => {
  const outcomes: ((outcome: Outcome) => void)[] = [];
  const server = createServer((request, response) => {
    readWhole(request, BYTES_MAX, (error, body) => {
      outcomes.shift()?.(error ? { failed: error.message } : { text: String(body) });
      response.end();
    });
  });
  const sockets: Socket[] = [];

  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  /** Sends the head and the first piece together, and each other piece once the server has seen what went before. */
  async function send(head: string, pieces: string[], after: (socket: Socket) => void = () => undefined) {
    const outcome = new Promise<Outcome>((resolve) => outcomes.push(resolve));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    const [first = '', ...others] = pieces;
    const arrived = new Promise<IncomingMessage>((resolve) => server.once('request', resolve));
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\n${head}\r\n\r\n${first}`);
    await arrived;
    for (const piece of others) {
      await new Promise((resolve) => setImmediate(resolve));
      socket.write(piece);
    }
    after(socket);
    return outcome;
  }

  it('is read whole when it comes with its head, in pieces, or not at all', async () => {
    expect(await send('content-length: 5', ['hello'])).toEqual({ text: 'hello' });
    expect(await send('content-length: 5', ['', 'he', 'llo'])).toEqual({ text: 'hello' });
    expect(await send('transfer-encoding: chunked', ['2\r\nhe\r\n', '3\r\nllo\r\n0\r\n\r\n'])).toEqual({
      text: 'hello',
    });
    expect(await send('content-length: 0', [])).toEqual({ text: '' });
  });

  it('is read again and again on one connection', async () => {
    const first = new Promise<Outcome>((resolve) => outcomes.push(resolve));
    const second = new Promise<Outcome>((resolve) => outcomes.push(resolve));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    const request = (text: string) => `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
    socket.write(request('one') + request('two'));
    expect([await first, await second]).toEqual([{ text: 'one' }, { text: 'two' }]);
  });

  it('is refused beyond its limit, by its announced or by its real length', async () => {
    const refused = { failed: 'The request body is too large for this endpoint.' };
    expect(await send('content-length: 11', [])).toEqual(refused);
    expect(await send('transfer-encoding: chunked', ['b\r\nhello world\r\n0\r\n\r\n'])).toEqual(refused);
    expect(await send('transfer-encoding: chunked', ['6\r\nhello \r\n', '5\r\nworld\r\n0\r\n\r\n'])).toEqual(refused);
  });

  it('that its client gives up is a failure, not a shorter body', async () => {
    expect(await send('content-length: 5', ['he'], (socket) => setImmediate(() => socket.destroy()))).toEqual({
      failed: 'The connection ended before the body did.',
    });
  });

  it('has its memory freed at once when nobody needs it any more, unless others share that memory', () => {
    const large = Buffer.allocUnsafe(1024 * 1024);
    const shared = Buffer.from('in the pool');
    for (const body of [large, shared]) giveBack(body);
    expect(large.length).toBe(0);
    expect(String(shared)).toBe('in the pool');
  });
});

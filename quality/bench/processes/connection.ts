import { connect, type Socket } from 'node:net';

const RESPONSE_BYTES_MAX = 64 * 1024;

/** With a body the request is a POST. */
export type Target = { port: number; path: string; key?: string; body?: string };

/** One keep-alive connection with one request on it at a time. */
export class Connection {
  /** Called with each complete response. */
  onAnswer: () => void = () => undefined;
  readonly #request: Buffer;
  readonly #socket: Socket;
  readonly #fail: (error: Error) => void;
  /** The response received so far; it nearly always arrives in one piece. */
  #partial = '';

  constructor({ port, path, key, body }: Target, fail: (error: Error) => void) {
    const authorization = key === undefined ? '' : `authorization: Bearer ${key}\r\n`;
    const length =
      body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
    const method = body === undefined ? 'GET' : 'POST';
    this.#request = Buffer.from(
      `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${authorization}${length}\r\n${body ?? ''}`,
    );
    this.#fail = fail;
    // A buffer of its own spares an allocation per response.
    const buffer = Buffer.alloc(RESPONSE_BYTES_MAX);
    this.#socket = connect({
      host: '127.0.0.1',
      port,
      noDelay: true,
      onread: {
        buffer,
        callback: (bytes) => {
          this.#read(buffer.toString('latin1', 0, bytes));
          return true;
        },
      },
    });
    this.#socket.on('error', fail);
    this.#socket.on('end', () => fail(new Error('The server closed a connection.')));
  }

  send(): void {
    this.#socket.write(this.#request);
  }

  close(): void {
    this.#socket.removeAllListeners('end');
    this.#socket.destroy();
  }

  #read(text: string): void {
    this.#partial = this.#partial === '' ? text : this.#partial + text;
    const headEnd = this.#partial.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    if (!this.#partial.startsWith('HTTP/1.1 200 ')) {
      this.#fail(new Error(`Not a 200: ${this.#partial.slice(0, 200)}`));
      return;
    }
    if (!this.#isWhole(headEnd)) return;
    this.#partial = '';
    this.onAnswer();
  }

  #isWhole(headEnd: number): boolean {
    const length = /content-length: (\d+)/i.exec(this.#partial.slice(0, headEnd))?.[1];
    if (length === undefined) return this.#partial.endsWith('\r\n0\r\n\r\n');
    return this.#partial.length >= headEnd + 4 + Number(length);
  }
}

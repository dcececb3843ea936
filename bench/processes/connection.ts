import { connect, type Socket } from 'node:net';

const RESPONSE_BYTES_MAX = 64 * 1024;

export type Target = { port: number; path: string; key?: string };

/** One keep-alive connection with one request on it at a time. */
export class Connection {
  /** Called with each complete answer. */
  onAnswer: () => void = () => undefined;
  readonly #request: Buffer;
  readonly #socket: Socket;
  readonly #fail: (error: Error) => void;
  /** What has arrived of the answer so far; an answer nearly always comes in one piece. */
  #partial = '';

  constructor({ port, path, key }: Target, fail: (error: Error) => void) {
    const authorization = key === undefined ? '' : `authorization: Bearer ${key}\r\n`;
    this.#request = Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${authorization}\r\n`);
    this.#fail = fail;
    // A buffer of its own spares the reader an allocation per answer.
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
    const length = Number(/content-length: (\d+)/i.exec(this.#partial)?.[1]);
    if (this.#partial.length < headEnd + 4 + length) return;
    this.#partial = '';
    this.onAnswer();
  }
}

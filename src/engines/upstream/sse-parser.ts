import { StringDecoder } from 'node:string_decoder';

/**
 * Turns bytes, cut anywhere, into the data of server-sent events. Comments and other fields are dropped, several
 * data lines are joined, all three kinds of line end are understood.
 */
export class SseParser {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';
  #data: string | undefined;
  #isFirst = true;
  #endedWithCr = false;

  /** Calls `onData` for each event that these bytes complete. */
  push(bytes: Uint8Array, onData: (data: string) => void): void {
    let text = this.#decoder.write(bytes as Buffer);
    if (text === '') return;
    if (this.#isFirst) {
      this.#isFirst = false;
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    }
    if (this.#endedWithCr && text.charCodeAt(0) === 10) text = text.slice(1);
    this.#endedWithCr = text === '' ? false : text.charCodeAt(text.length - 1) === 13;
    if (text.includes('\r')) text = text.replace(/\r\n?/g, '\n');
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const line = this.#rest === '' ? text.slice(start, end) : this.#rest + text.slice(start, end);
      this.#rest = '';
      start = end + 1;
      this.#take(line, onData);
    }
    if (start < text.length) this.#rest += text.slice(start);
  }

  #take(line: string, onData: (data: string) => void): void {
    if (line === '') {
      const data = this.#data;
      this.#data = undefined;
      if (data !== undefined) onData(data);
      return;
    }
    if (!line.startsWith('data')) return;
    let value: string;
    if (line.charCodeAt(4) === 58) value = line.slice(line.charCodeAt(5) === 32 ? 6 : 5);
    else if (line.length === 4) value = '';
    else return;
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
  }
}

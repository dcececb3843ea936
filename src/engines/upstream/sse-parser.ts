import { StringDecoder } from 'node:string_decoder';
import { engineErrors } from '../errors.ts';
import { EVENT_CHARACTERS_MAX, PIECE_CHARACTERS } from './limits.ts';

/**
 * Turns bytes, cut anywhere, into the data of server-sent events. Comments and other fields are dropped, several
 * data lines are joined, all three kinds of line end are understood. A line or event beyond the limit is an error.
 */
export class SseParser {
  readonly #decoder = new StringDecoder('utf8');
  readonly #charactersMax: number;
  #rest = '';
  /** What `#rest` and `#data` cost: their characters and their pieces. */
  #restCost = 0;
  #dataCost = 0;
  #data: string | undefined;
  #isFirst = true;
  #endedWithCr = false;

  constructor(charactersMax = EVENT_CHARACTERS_MAX) {
    this.#charactersMax = charactersMax;
  }

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
      // Nearly every event is one such line and an empty one.
      if (text.charCodeAt(end + 1) === 10 && this.#isBetween && text.startsWith('data: ', start)) {
        const data = text.slice(start + 6, end);
        start = end + 2;
        if (data.length + PIECE_CHARACTERS > this.#charactersMax) throw engineErrors.upstream_answer_too_large();
        onData(data);
        continue;
      }
      const line = this.#rest === '' ? text.slice(start, end) : this.#rest + text.slice(start, end);
      this.#rest = '';
      this.#restCost = 0;
      start = end + 1;
      this.#take(line, onData);
    }
    if (start >= text.length) return;
    this.#restCost += text.length - start + PIECE_CHARACTERS;
    if (this.#restCost + this.#dataCost > this.#charactersMax) throw engineErrors.upstream_answer_too_large();
    this.#rest += text.slice(start);
  }

  /** Nothing of a line or an event waits for more. */
  get #isBetween(): boolean {
    return this.#rest === '' && this.#data === undefined;
  }

  #take(line: string, onData: (data: string) => void): void {
    if (line === '') {
      const data = this.#data;
      this.#data = undefined;
      this.#dataCost = 0;
      if (data !== undefined) onData(data);
      return;
    }
    if (!line.startsWith('data')) return;
    let value: string;
    if (line.charCodeAt(4) === 58) value = line.slice(line.charCodeAt(5) === 32 ? 6 : 5);
    else if (line.length === 4) value = '';
    else return;
    this.#dataCost += value.length + PIECE_CHARACTERS;
    if (this.#dataCost > this.#charactersMax) throw engineErrors.upstream_answer_too_large();
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
  }
}

import type { IncomingHttpHeaders } from 'node:http';
import { invalidResponse, parseHead, type ResponseHead } from './parse-head.ts';

/** Of the status line and all headers; also of all that follows the last chunk. */
const HEAD_BYTES_MAX = 16 * 1024;
/** Of the line before a chunk: its size, and extensions that nobody uses. */
const SIZE_LINE_BYTES_MAX = 256;
const SIZE_DIGITS_MAX = 12;
const CR = 13;
const LF = 10;
const SEMICOLON = 59;

/** Takes one response. `data` has bytes that are overwritten after the call. */
export type ResponseHandler = {
  onResponseStart(status: number, headers: IncomingHttpHeaders): void;
  onResponseData(data: Buffer): void;
  /** `isReusable`: the connection may serve another request. */
  onResponseEnd(isReusable: boolean, keepAliveMs: number | undefined): void;
};

type State = 'head' | 'length' | 'size' | 'chunk' | 'chunk end' | 'trailers' | 'until end' | 'done';

/**
 * Reads one HTTP/1.1 response from bytes that are cut anywhere. All that one read of the socket has of the body is passed on
 * in one piece: a stream of small chunks costs one call, not one for each. Throws for anything that is not HTTP.
 */
export class ResponseParser {
  readonly #handler: ResponseHandler;
  #state: State = 'head';
  /** The beginning of a head that is not whole yet. */
  #held: Buffer | undefined;
  #head: ResponseHead | undefined;
  /** Bytes of the body, or of its chunk, that are still to come. */
  #left = 0;
  /** Of the line that is being read: its bytes, the digits of its size, and whether these have ended. */
  #lineBytes = 0;
  #digits = 0;
  #isExtension = false;
  #sawCr = false;
  #trailerBytes = 0;

  constructor(handler: ResponseHandler) {
    this.#handler = handler;
  }

  get isDone(): boolean {
    return this.#state === 'done';
  }

  /** The first `length` bytes, which it may overwrite. */
  push(bytes: Buffer, length: number): void {
    let [from, at, end] = [bytes, 0, length];
    while (this.#state === 'head') {
      if (this.#held) {
        from = Buffer.concat([this.#held, from.subarray(at, end)]);
        [at, end] = [0, from.length];
        this.#held = undefined;
      }
      const headEnd = from.indexOf('\r\n\r\n', at, 'latin1');
      const isWhole = headEnd >= 0 && headEnd + 4 <= end;
      if ((isWhole ? headEnd : end) - at > HEAD_BYTES_MAX) throw invalidResponse('its head is too long');
      if (!isWhole) {
        if (end > at) this.#held = Buffer.from(from.subarray(at, end));
        return;
      }
      this.#begin(parseHead(from.toString('latin1', at, headEnd)));
      at = headEnd + 4;
    }
    if (this.#state === 'length') this.#takeLength(from, at, end);
    else if (this.#state === 'until end') this.#pass(from, at, end);
    else if (this.#state === 'done') this.#finish(at < end);
    else this.#takeChunks(from, at, end);
  }

  /** The server has closed the connection. False when the response was not whole. */
  end(): boolean {
    if (this.#state === 'until end') this.#finish(true);
    return this.#state === 'done';
  }

  #begin(head: ResponseHead): void {
    if (head.status >= 200) {
      this.#head = head;
      this.#left = head.length;
      if (head.body === 'chunked') this.#state = 'size';
      else if (head.body === 'until end') this.#state = 'until end';
      else this.#state = head.length === 0 ? 'done' : 'length';
    }
    this.#handler.onResponseStart(head.status, head.headers);
  }

  #takeLength(bytes: Buffer, at: number, end: number): void {
    const taken = Math.min(this.#left, end - at);
    this.#left -= taken;
    if (this.#left === 0) this.#state = 'done';
    this.#pass(bytes, at, at + taken);
    if (this.#left === 0) this.#finish(at + taken < end);
  }

  /** Moves the contents of the chunks together, over what was between them. */
  #takeChunks(bytes: Buffer, start: number, end: number): void {
    let [at, first, last] = [start, start, start];
    while (at < end && this.#state !== 'done') {
      if (this.#state === 'chunk') {
        const taken = Math.min(this.#left, end - at);
        if (first === last) first = last = at;
        else if (last !== at) bytes.copyWithin(last, at, at + taken);
        last += taken;
        at += taken;
        this.#left -= taken;
        if (this.#left === 0) this.#state = 'chunk end';
      } else at = this.#state === 'size' ? this.#takeSize(bytes, at, end) : this.#takeBetween(bytes, at);
    }
    this.#pass(bytes, first, last);
    if (this.#state === 'done') this.#finish(at < end);
  }

  /** The line before a chunk: hexadecimal digits, perhaps an extension. */
  #takeSize(bytes: Buffer, start: number, end: number): number {
    for (let at = start; at < end; at++) {
      const byte = bytes[at] as number;
      if (this.#sawCr) {
        if (byte !== LF || this.#digits === 0) throw invalidResponse('a chunk has no size');
        this.#state = this.#left === 0 ? 'trailers' : 'chunk';
        [this.#digits, this.#lineBytes, this.#isExtension, this.#sawCr] = [0, 0, false, false];
        return at + 1;
      }
      if (++this.#lineBytes > SIZE_LINE_BYTES_MAX) throw invalidResponse('the size of a chunk is too long');
      if (byte === CR) this.#sawCr = true;
      else if (this.#isExtension) {
        if (byte === LF) throw invalidResponse('a line ends without its carriage return');
      } else if (byte === SEMICOLON && this.#digits > 0) this.#isExtension = true;
      else {
        const digit = hexDigit(byte);
        if (digit < 0 || ++this.#digits > SIZE_DIGITS_MAX) throw invalidResponse('the size of a chunk is no number');
        this.#left = this.#left * 16 + digit;
      }
    }
    return end;
  }

  /** One byte of the line end after a chunk, or of the lines after the last one. */
  #takeBetween(bytes: Buffer, at: number): number {
    const byte = bytes[at] as number;
    if (this.#state === 'chunk end') {
      if (byte !== (this.#sawCr ? LF : CR)) throw invalidResponse('a chunk is longer than its size');
      if (this.#sawCr) this.#state = 'size';
      this.#sawCr = !this.#sawCr;
      return at + 1;
    }
    if (++this.#trailerBytes > HEAD_BYTES_MAX) throw invalidResponse('its end is too long');
    if (this.#sawCr) {
      if (byte !== LF) throw invalidResponse('a line ends without its line feed');
      if (this.#lineBytes === 0) this.#state = 'done';
      [this.#lineBytes, this.#sawCr] = [0, false];
    } else if (byte === CR) this.#sawCr = true;
    else this.#lineBytes++;
    return at + 1;
  }

  #pass(bytes: Buffer, first: number, last: number): void {
    if (last > first) this.#handler.onResponseData(bytes.subarray(first, last));
  }

  #finish(hasMore: boolean): void {
    this.#state = 'done';
    const head = this.#head;
    this.#handler.onResponseEnd(!hasMore && head?.isKeptAlive === true, head?.keepAliveMs);
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

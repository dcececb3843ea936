import type { IncomingHttpHeaders } from 'node:http';

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [^\r\n]*)?$/;
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be in a value.
const FORBIDDEN = /[\u0000-\u0008\u000a-\u001f\u007f]/;
const LENGTH = /^\d{1,15}$/;
const KEEP_ALIVE = /(?:^|[\s,])timeout=(\d{1,6})\b/i;
/** Ends a connection before its server does, which may happen just when the next request is sent. */
const MARGIN_MS = 1000;

export type ResponseHead = {
  status: number;
  /** Names in lower case. Shared by responses, so nobody may change it. */
  headers: IncomingHttpHeaders;
  body: 'length' | 'chunked' | 'until end';
  /** Of a body with a known length; 0 where there is none. */
  length: number;
  isKeptAlive: boolean;
  /** How long the server keeps an idle connection, if it says so. */
  keepAliveMs: number | undefined;
};

class InvalidResponse extends Error {
  readonly code = 'RESPONSE_INVALID';
}

export function invalidResponse(why: string): InvalidResponse {
  return new InvalidResponse(`The response is not HTTP: ${why}.`);
}

let lastText = '';
let last: ResponseHead | undefined;

/** The status line and the headers. Answers of the same second mostly begin alike, so the last one is remembered. */
export function parseHead(text: string): ResponseHead {
  if (last && text === lastText) return last;
  const head = parse(text);
  [lastText, last] = [text, head];
  return head;
}

function parse(text: string): ResponseHead {
  const [first = '', ...lines] = text.split('\r\n');
  const [, minor, digits] = STATUS_LINE.exec(first) ?? [];
  if (digits === undefined) throw invalidResponse('it has no status');
  const status = Number(digits);
  if (status === 101) throw invalidResponse('it changes the protocol');
  const headers = readHeaders(lines);
  const connection = String(headers.connection ?? '').toLowerCase();
  const isKeptAlive = minor === '1' ? !connection.includes('close') : connection.includes('keep-alive');
  return { status, headers, ...framingOf(status, headers), isKeptAlive, keepAliveMs: keepAliveOf(headers) };
}

function readHeaders(lines: readonly string[]): IncomingHttpHeaders {
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (!NAME.test(name) || FORBIDDEN.test(value)) throw invalidResponse('a header cannot be read');
    const before = headers[name];
    if (before !== undefined && name === 'content-length' && before !== value)
      throw invalidResponse('it has two lengths');
    headers[name] = before === undefined || name === 'content-length' ? value : `${before}, ${value}`;
  }
  return headers;
}

/** Where the body ends. A server that says two things about it is not believed. */
function framingOf(status: number, headers: IncomingHttpHeaders): Pick<ResponseHead, 'body' | 'length'> {
  const { 'transfer-encoding': encoding, 'content-length': length } = headers;
  if (status < 200 || status === 204 || status === 304) return { body: 'length', length: 0 };
  if (encoding !== undefined) {
    if (encoding.toLowerCase() !== 'chunked' || length !== undefined) throw invalidResponse('its length is unclear');
    return { body: 'chunked', length: 0 };
  }
  if (length === undefined) return { body: 'until end', length: 0 };
  if (!LENGTH.test(length)) throw invalidResponse('its length is no number');
  return { body: 'length', length: Number(length) };
}

function keepAliveOf(headers: IncomingHttpHeaders): number | undefined {
  const seconds = KEEP_ALIVE.exec(String(headers['keep-alive'] ?? ''))?.[1];
  return seconds === undefined ? undefined : Math.max(0, Number(seconds) * 1000 - MARGIN_MS);
}

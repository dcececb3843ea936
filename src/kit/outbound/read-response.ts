import type { Dispatcher } from 'undici';
import { OutboundTooLarge } from './errors.ts';

export type OutboundResponse = {
  status: number;
  /** Names in lower case; repeated headers are joined with a comma. */
  headers: Readonly<Record<string, string>>;
  /** The bytes as they were sent. A body is read once, by `body`, `bytes` or `text`. */
  body: AsyncIterable<Uint8Array>;
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
  /** Abandons an unread body and its connection, which would otherwise wait until the timeout. */
  discard(): void;
};

type Reading = { method: string; host: string; bodyBytesMax: number; translate: (error: unknown) => unknown };

export function readResponse(answer: Dispatcher.ResponseData, reading: Reading): OutboundResponse {
  const headers = joinHeaders(answer.headers);
  // The length in a response to HEAD is that of a body that is not sent.
  const declaredBytes = reading.method === 'HEAD' ? 0 : Number(headers['content-length'] ?? 0);
  let isTaken = false;
  const body = {
    [Symbol.asyncIterator]() {
      if (isTaken) throw new Error('The body of an answer can be read only once.');
      isTaken = true;
      return readBody(answer.body, declaredBytes, reading);
    },
  };
  const bytes = async () => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  return {
    status: answer.statusCode,
    headers,
    body,
    bytes,
    text: async () => new TextDecoder().decode(await bytes()),
    discard: () => answer.body.destroy(),
  };
}

async function* readBody(
  stream: Dispatcher.ResponseData['body'],
  declaredBytes: number,
  { host, bodyBytesMax, translate }: Reading,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    if (declaredBytes > bodyBytesMax) throw tooLarge(host, bodyBytesMax);
    for await (const chunk of stream) {
      bytes += chunk.length;
      if (bytes > bodyBytesMax) throw tooLarge(host, bodyBytesMax);
      yield chunk;
    }
  } catch (error) {
    throw translate(error);
  } finally {
    stream.destroy();
  }
}

function tooLarge(host: string, bodyBytesMax: number): OutboundTooLarge {
  return new OutboundTooLarge(`The answer of ${host} is larger than ${bodyBytesMax} bytes.`);
}

function joinHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));
}

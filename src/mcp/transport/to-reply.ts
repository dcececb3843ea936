import { empty, type RawReply, raw, type SseReply, sse } from '../../kit/http/index.ts';

/** After this time the stream is opened before there is a reply, so that heartbeats keep the connection alive. */
const STREAM_AFTER_MS = 1000;

/**
 * Turns the library's response into one of the HTTP server: a reply is always a stream, and an immediate refusal keeps
 * its status. `close` runs at the end. A `resumable` stream only announces changes, so its client can reconnect anywhere.
 */
export async function toReply(
  pending: Promise<Response>,
  options: { resumable: boolean; close: () => Promise<void> },
): Promise<SseReply | RawReply> {
  const response = await within(STREAM_AFTER_MS, pending);
  if (!response || isStream(response) || (response.ok && response.body)) {
    return sse(readText(pending, options.close), { resumable: options.resumable });
  }
  const text = await response.text();
  await options.close();
  return text === '' ? empty(response.status) : raw(text, typeOf(response), {}, response.status);
}

async function* readText(pending: Promise<Response>, close: () => Promise<void>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  try {
    const response = await pending;
    if (!isStream(response)) yield `event: message\ndata: ${await response.text()}\n\n`;
    else if (response.body) for await (const chunk of response.body) yield decoder.decode(chunk, { stream: true });
  } finally {
    await close();
  }
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function isStream(response: Response): boolean {
  return typeOf(response).startsWith('text/event-stream');
}

function typeOf(response: Response): string {
  return response.headers.get('content-type') ?? '';
}

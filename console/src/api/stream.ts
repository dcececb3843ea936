import { type RequestOptions, request } from './request.ts';

export type StreamEvent = { event: string; data: string; id: string | undefined };

/**
 * Server-sent events read by fetch, which unlike EventSource sends a body and the session's headers. POST with a body,
 * GET without. Ends with the stream; aborting the signal closes the connection.
 */
export async function* stream(
  path: string,
  body?: unknown,
  signal?: AbortSignal,
  options: RequestOptions = {},
): AsyncGenerator<StreamEvent> {
  const response = await request(body === undefined ? 'GET' : 'POST', path, body, {
    ...options,
    ...(signal ? { signal } : {}),
    headers: { accept: 'text/event-stream', ...Object.fromEntries(new Headers(options.headers)) },
  });
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const parser = createEventParser();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield* parser(value);
    }
  } finally {
    await reader.cancel().catch(() => {
      // An aborted stream is closed already, and says so by rejecting.
    });
  }
}

/** Feeds on text in pieces of any size, and gives the events that each piece completes. */
export function createEventParser(): (text: string) => StreamEvent[] {
  let rest = '';
  let event = 'message';
  let id: string | undefined;
  let data: string[] = [];
  return (text) => {
    const events: StreamEvent[] = [];
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) events.push({ event, data: data.join('\n'), id });
        event = 'message';
        data = [];
        continue;
      }
      const colon = line.indexOf(':');
      if (colon === 0) continue;
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'data') data.push(value);
      else if (field === 'event') event = value;
      else if (field === 'id') id = value;
    }
    return events;
  };
}

import { type RequestOptions, request } from './request.ts';

export type StreamEvent = { event: string; data: string; id: string | undefined };

/** Reads server-sent events by fetch, because EventSource cannot send a body or headers. POST with a body, else GET. */
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
      // Cancelling a stream that was aborted rejects.
    });
  }
}

/** Takes text in pieces of any size and returns the events completed by each. */
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

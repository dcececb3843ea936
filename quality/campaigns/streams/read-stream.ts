import { type ClientRequest, request } from 'node:http';

export type Asked = { url: string; method?: string; headers: Record<string, string>; body?: unknown };

/** The complete events read from a stream, without the heartbeats between them. */
export type ReadStream = { events: string[]; lastId: string | undefined; isEnded: boolean };

const READ_MS = 60_000;

/** Reads until the stream ends, `bytes` have arrived, or `enough` events are there, and then disconnects. */
export function readStream(
  { url, method = 'GET', headers, body }: Asked,
  until: { bytes?: number; enough?: (events: string[]) => boolean } = {},
): Promise<ReadStream> {
  return new Promise((resolve, reject) => {
    let text = '';
    let sent: ClientRequest;
    let isEnded = false;
    let isCut = false;
    const timer = setTimeout(() => sent.destroy(new Error(`nothing more of ${url} in time`)), READ_MS);
    const finish = () => {
      clearTimeout(timer);
      const events = wholeEvents(text);
      resolve({ events, lastId: lastIdOf(events), isEnded });
    };
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    sent = request(url, { method, agent: false, headers: { ...type, ...headers } }, (response) => {
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += until.bytes === undefined ? chunk : chunk.slice(0, Math.max(0, until.bytes - text.length));
        const isEnough = text.length >= (until.bytes ?? Infinity) || until.enough?.(wholeEvents(text));
        if (!isEnough) return;
        isCut = true;
        sent.destroy();
      });
      response.on('end', () => {
        isEnded = !isCut;
      });
      response.on('error', () => undefined);
      response.on('close', () => {
        if (response.statusCode === 200) return finish();
        clearTimeout(timer);
        reject(new Error(`${method} ${url}: ${response.statusCode} ${text.slice(0, 300)}`));
      });
    });
    sent.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function wholeEvents(text: string): string[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .filter((event) => !event.startsWith(':'));
}

/** By their ids, or the numbers within the events of responses. */
function lastIdOf(events: string[]): string | undefined {
  const numbers = events.map((event) => /^id: (.*)$/m.exec(event) ?? /"sequence_number":(\d+)/.exec(event));
  return numbers.findLast((found) => found !== null)?.[1];
}

import { type IncomingHttpHeaders, request } from 'node:http';

const ANSWER_MS = 120_000;

type Question = {
  method?: string;
  headers?: Record<string, string>;
  body?: Buffer | undefined;
  /** Without a Content-Length. */
  isChunked?: boolean;
};

export type Answered = { status: number; headers: IncomingHttpHeaders; text: string };

/** One request on its own connection, also when the response comes before the body was sent. Status 0: no response. */
export function ask(
  url: string,
  { method = 'GET', headers = {}, body, isChunked = false }: Question,
): Promise<Answered> {
  return new Promise((resolve) => {
    let isAnswered = false;
    // Always set: without it Node sends the body of a DELETE as stray bytes.
    const length = body && (isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body.length) });
    const sent = request(
      url,
      { method, agent: false, timeout: ANSWER_MS, headers: { ...headers, ...length } },
      (response) => {
        isAnswered = true;
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('close', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
    sent.on('error', (error) => {
      if (!isAnswered) resolve({ status: 0, headers: {}, text: error.message });
    });
    sent.end(body);
  });
}

import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

export type Answer = { status: number; headers: IncomingHttpHeaders; text: string; body: unknown };

export type AskOptions = {
  method?: string;
  key?: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** A file and the fields beside it, as a form. */
  file?: { name: string; content: string; fields: Record<string, string> };
};

/** Undefined without a complete response: the outcome of the request is then unknown. */
export type Ask = (path: string, options?: AskOptions) => Promise<Answer | undefined>;

const SOCKETS_MAX = 256;
const TIMEOUT_MS = 30_000;
const BOUNDARY = 'a-boundary-that-no-file-of-ours-holds';

export function createAsk(port: number, key: string): { ask: Ask; close: () => void } {
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS_MAX });
  const ask: Ask = (path, options = {}) =>
    new Promise((resolve) => {
      const content = contentOf(options);
      const sent = request(
        {
          host: '127.0.0.1',
          port,
          path,
          agent,
          method: options.method ?? (content ? 'POST' : 'GET'),
          timeout: TIMEOUT_MS,
          headers: {
            authorization: `Bearer ${options.key ?? key}`,
            ...(content && { 'content-type': content.type, 'content-length': content.bytes.length }),
            ...options.headers,
          },
        },
        (response) => void read(response).then(resolve),
      );
      sent.on('timeout', () => sent.destroy());
      sent.on('error', () => resolve(undefined));
      sent.end(content?.bytes);
    });
  return { ask, close: () => agent.destroy() };
}

function contentOf({ body, file }: AskOptions): { type: string; bytes: Buffer } | undefined {
  if (body !== undefined) return { type: 'application/json', bytes: Buffer.from(JSON.stringify(body)) };
  if (!file) return undefined;
  const fields = Object.entries(file.fields).map(([name, value]) => part(`name="${name}"`, value));
  const parts = [part(`name="file"; filename="${file.name}"`, file.content), ...fields];
  const bytes = Buffer.from(`${parts.join('')}--${BOUNDARY}--\r\n`);
  return { type: `multipart/form-data; boundary=${BOUNDARY}`, bytes };
}

function part(about: string, content: string): string {
  return `--${BOUNDARY}\r\ncontent-disposition: form-data; ${about}\r\n\r\n${content}\r\n`;
}

async function read(response: IncomingMessage): Promise<Answer | undefined> {
  try {
    let text = '';
    response.setEncoding('utf8');
    for await (const chunk of response) text += chunk;
    if (!response.complete) return undefined;
    return { status: response.statusCode ?? 0, headers: response.headers, text, body: parse(text) };
  } catch {
    return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

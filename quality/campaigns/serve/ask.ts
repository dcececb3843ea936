import { Agent, type IncomingHttpHeaders, request } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: 32 });
/** How long a stream is read: a difference between foreign and missing would come first. */
const LISTEN_MS = 60;

export type Question = { method: string; path: string; headers?: Record<string, string>; body?: unknown };
export type Answer = { status: number; headers: IncomingHttpHeaders; text: string };

/** One request over the wire. Strings and bytes are sent as they are, everything else as JSON. */
export function ask(url: string, { method, path, headers = {}, body }: Question): Promise<Answer> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const bytes = body === undefined ? undefined : isRaw ? body : JSON.stringify(body);
  const typed = body === undefined || isRaw ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}${path}`,
      {
        method,
        agent,
        headers: {
          accept: 'application/json, text/event-stream',
          ...typed,
          ...headers,
          ...(bytes !== undefined && { 'content-length': Buffer.byteLength(bytes) }),
        },
      },
      (response) => {
        let text = '';
        const tell = () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', tell);
        response.on('error', tell);
        if (!response.headers['content-type']?.startsWith('text/event-stream')) return;
        const timer = setTimeout(() => response.destroy(), LISTEN_MS);
        response.on('close', () => {
          clearTimeout(timer);
          tell();
        });
      },
    );
    sent.on('error', reject);
    sent.end(bytes);
  });
}

/** A file as a form, with other fields beside it. */
export function formOf(content: string, fields: Record<string, string> = {}, filename = 'a.txt') {
  const boundary = 'tramontane-trust';
  const parts = [
    ...Object.entries(fields).map(([name, value]) => [`content-disposition: form-data; name="${name}"`, '', value]),
    [`content-disposition: form-data; name="file"; filename="${filename}"`, '', content],
  ];
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: `${parts.map((lines) => [`--${boundary}`, ...lines].join('\r\n')).join('\r\n')}\r\n--${boundary}--\r\n`,
  };
}

import { type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { SourceFailed } from './errors.ts';

const REDIRECTS_MAX = 5;

export type HttpOptions = {
  signal: AbortSignal;
  /** Until the connection stands, and again until the answer begins. */
  answerMs: number;
  /** The longest pause inside a body. */
  idleMs: number;
  /** The whole header, such as `Bearer …`. Sent to the first address's origin only. */
  authorization?: string | undefined;
  headers?: Record<string, string>;
};

export type HttpAnswer = Dispatcher.ResponseData & {
  /** The sha256 that a Hugging Face server states for a large file, before it redirects to where the bytes are. */
  statedSha256: string | undefined;
};

/** GET through the machine's proxy settings, redirects followed. The answer's body must be read or dumped. */
export async function get(url: string, options: HttpOptions): Promise<HttpAnswer> {
  const dispatcher = new EnvHttpProxyAgent({
    connect: { timeout: options.answerMs },
    headersTimeout: options.answerMs,
    bodyTimeout: options.idleMs,
    keepAliveTimeout: 1,
  });
  const { origin } = new URL(url);
  let address = url;
  let statedSha256: string | undefined;
  for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
    const isHome = new URL(address).origin === origin;
    const answer = await request(address, {
      dispatcher,
      signal: options.signal,
      headers: {
        'accept-encoding': 'identity',
        'user-agent': 'tramontane',
        ...options.headers,
        // Where the bytes are is another party's server; the token is none of its business.
        ...(options.authorization && isHome ? { authorization: options.authorization } : {}),
      },
    });
    statedSha256 ??= sha256In(answer.headers['x-linked-etag']);
    const location = answer.headers.location;
    if (answer.statusCode < 300 || answer.statusCode >= 400 || typeof location !== 'string')
      return Object.assign(answer, { statedSha256 });
    await answer.body.dump();
    const next = new URL(location, address);
    if (address.startsWith('https:') && next.protocol !== 'https:')
      throw new SourceFailed('it redirects from https to an address that is not');
    address = next.href;
  }
  throw new SourceFailed('it redirects in circles');
}

function sha256In(etag: string | string[] | undefined): string | undefined {
  const value = String(etag ?? '').replace(/^W\/|"/g, '');
  return /^[0-9a-f]{64}$/.test(value) ? value : undefined;
}

/** What a failed request means, in words that fit behind the name of the source. */
export function explainHttpError(error: unknown, options: Pick<HttpOptions, 'answerMs'>): string {
  const { code, message } = innermost(error);
  if (/CONNECT_TIMEOUT|HEADERS_TIMEOUT/.test(code)) return `no answer within ${options.answerMs / 1000} s`;
  if (code === 'UND_ERR_BODY_TIMEOUT') return 'the transfer stalled';
  if (/ENOTFOUND|EAI_AGAIN/.test(code)) return 'its name cannot be resolved';
  if (/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/.test(code)) return 'it cannot be reached';
  if (/ECONNRESET|UND_ERR_SOCKET|RES_CONTENT_LENGTH/.test(code)) return 'the connection was cut';
  return code ? `${message} (${code})` : message;
}

function innermost(error: unknown): { code: string; message: string } {
  let at = error;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  if (at instanceof AggregateError && at.errors[0] instanceof Error) at = at.errors[0];
  const code = at instanceof Error && 'code' in at ? String(at.code) : '';
  return { code, message: at instanceof Error ? at.message : String(at) };
}

export function explainStatus(status: number): string {
  if (status === 404) return 'it does not have this file (404)';
  if (status === 401 || status === 403) return `it wants a token for this file, or does not have it (${status})`;
  if (status === 429) return 'too many requests from here (429)';
  return `it answered with status ${status}`;
}

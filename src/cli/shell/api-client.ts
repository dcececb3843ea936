import { openAsBlob } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { basename } from 'node:path';
import { CommandFailure } from '../../operator/command-failure.ts';
import type { Context } from './command.ts';

export const DEFAULT_URL = 'http://127.0.0.1:4747';

export type ApiClient = {
  url: string;
  get<T>(path: string): Promise<T>;
  /** Undefined on a 404. */
  find<T>(path: string): Promise<T | undefined>;
  /** All pages of a registry list, sorted by name. */
  list<T>(path: string, filters: Record<string, string>): Promise<T[]>;
  send<T>(
    method: 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<{ data: T; headers: Headers }>;
  /** Uploads a local file and returns its id. */
  upload(file: string, fields: Record<string, string>): Promise<string>;
  /** The raw response; throws unless it is a success. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
};

/** An error response; `items` are the errors of a 422. */
export class ApiRefusal extends CommandFailure {
  readonly status: number;
  readonly items: { loc: (string | number)[]; msg: string }[];

  constructor(status: number, message: string, items: ApiRefusal['items'] = []) {
    super(message);
    this.status = status;
    this.items = items;
  }
}

/** The URL of the server and the key to call it with. */
export function findServer({ args, environment }: Pick<Context, 'args' | 'environment'>): {
  url: string;
  apiKey: string;
} {
  const apiKey = environment.TRAMONTANE_API_KEY ?? environment.TRAMONTANE_BOOTSTRAP_API_KEY;
  if (!apiKey) throw new CommandFailure('Set TRAMONTANE_API_KEY to an API key. Create one: npx tramontane keys create');
  // fetch would fail as if nobody answered.
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new CommandFailure(
      'TRAMONTANE_API_KEY is not an API key: it has a space or a character that no key has. Create one: npx tramontane keys create',
    );
  return { url: trimSlashes(args.text('url') ?? environment.TRAMONTANE_URL ?? DEFAULT_URL), apiKey };
}

export function trimSlashes(url: string): string {
  return url.replace(/(?<!\/)\/+$/, '');
}

/** A client of a running server. */
export function openApi(context: Context): ApiClient {
  const { url, apiKey } = findServer(context);
  async function request(path: string, init: RequestInit = {}): Promise<Response> {
    // fetch sets the content type of a form itself, with its boundary.
    const type = init.body instanceof FormData ? {} : { 'content-type': 'application/json' };
    const headers = { authorization: `Bearer ${apiKey}`, ...type, ...init.headers };
    const response = await fetch(`${url}${path}`, { ...init, headers }).catch(() => {
      throw new CommandFailure(
        `No server is running at ${url}. Start one with npx tramontane start, or set TRAMONTANE_URL.`,
      );
    });
    if (!response.ok) throw await describeRefusal(response);
    return response;
  }
  const read = async <T>(path: string): Promise<T> => (await (await request(path)).json()) as T;

  return {
    url,
    get: read,
    find: <T>(path: string) =>
      read<T>(path).catch((error: unknown) => {
        if (error instanceof ApiRefusal && error.status === 404) return undefined;
        throw error;
      }),
    async list<T>(path: string, filters: Record<string, string>) {
      const query = new URLSearchParams({ ...filters, pageSize: '100', sort_by: 'name', sort_direction: 'asc' });
      const items: T[] = [];
      for (;;) {
        const page = await read<{ data: T[]; nextPageToken?: string }>(`${path}?${query}`);
        items.push(...page.data);
        if (!page.nextPageToken) return items;
        query.set('pageToken', page.nextPageToken);
      }
    },
    async send<T>(method: string, path: string, body?: unknown) {
      const response = await request(path, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
      const text = await response.text();
      return { data: (text === '' ? undefined : JSON.parse(text)) as T, headers: response.headers };
    },
    async upload(file, fields) {
      await access(file, constants.R_OK).catch(({ code }: NodeJS.ErrnoException) => {
        throw new CommandFailure(`${file} cannot be read (${code}).`);
      });
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append('file', await openAsBlob(file), basename(file));
      const response = await request('/v1/files', { method: 'POST', body: form });
      return ((await response.json()) as { id: string }).id;
    },
    fetch: request,
  };
}

async function describeRefusal(response: Response): Promise<ApiRefusal> {
  const { status } = response;
  if (status === 401)
    return new ApiRefusal(status, 'The server does not accept this key. Create one: npx tramontane keys create');
  const { message, detail } = parseBody(await response.text());
  if (Array.isArray(detail)) {
    const items = detail as ApiRefusal['items'];
    const text = items.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ');
    return new ApiRefusal(status, text, items);
  }
  return new ApiRefusal(status, message ?? detail ?? `The server responded with status ${status}.`);
}

function parseBody(text: string): { message?: string; detail?: string | unknown[] } {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

/** The data of each server-sent event. Throws if the response ends before the caller stops reading. */
export async function* readEvents(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let buffer = '';
  for await (const bytes of response.body ?? []) {
    buffer += decoder.decode(bytes, { stream: true });
    const events = buffer.split('\n\n');
    buffer = events.pop() ?? '';
    for (const event of events) {
      const data = event.split('\n').find((line) => line.startsWith('data: '));
      if (data) yield data.slice('data: '.length);
    }
  }
  throw new CommandFailure('The response ended early.');
}

import { CommandFailure } from '../../operator/command-failure.ts';
import type { Context } from './command.ts';

const DEFAULT_URL = 'http://127.0.0.1:4747';

export type ApiClient = {
  url: string;
  get<T>(path: string): Promise<T>;
  /** Undefined when there is no such thing. */
  find<T>(path: string): Promise<T | undefined>;
  send<T>(method: 'POST' | 'PATCH' | 'PUT', path: string, body: unknown): Promise<{ data: T; headers: Headers }>;
  /** The bare answer, once it is known to be a success. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
};

/** The server refused; `items` are the mistakes of a 422, each with its place. */
export class ApiRefusal extends CommandFailure {
  readonly status: number;
  readonly items: { loc: (string | number)[]; msg: string }[];

  constructor(status: number, message: string, items: ApiRefusal['items'] = []) {
    super(message);
    this.status = status;
    this.items = items;
  }
}

/** Speaks to a running server as any client would: with a key, over HTTP. */
export function openApi(context: Context): ApiClient {
  return createApiClient(findServer(context));
}

/** Where the server is, and as whom to speak to it. */
export function findServer({ args, environment }: Pick<Context, 'args' | 'environment'>): {
  url: string;
  apiKey: string;
} {
  const apiKey = environment.TRAMONTANE_API_KEY ?? environment.TRAMONTANE_BOOTSTRAP_API_KEY;
  if (!apiKey)
    throw new CommandFailure('Set TRAMONTANE_API_KEY to a key of the platform. A new one: npx tramontane keys create');
  const url = args.text('url') ?? environment.TRAMONTANE_URL ?? DEFAULT_URL;
  return { url: url.replace(/(?<!\/)\/+$/, ''), apiKey };
}

function createApiClient({ url, apiKey }: { url: string; apiKey: string }): ApiClient {
  async function request(path: string, init: RequestInit = {}): Promise<Response> {
    // A form says by itself what it is, with the boundary between its parts.
    const type = init.body instanceof FormData ? {} : { 'content-type': 'application/json' };
    const headers = { authorization: `Bearer ${apiKey}`, ...type, ...init.headers };
    const response = await fetch(`${url}${path}`, { ...init, headers }).catch(() => {
      throw new CommandFailure(
        `No server answers at ${url}. Start one with npx tramontane start, or set TRAMONTANE_URL.`,
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
    async send<T>(method: string, path: string, body: unknown) {
      const response = await request(path, { method, body: JSON.stringify(body) });
      return { data: (await response.json()) as T, headers: response.headers };
    },
    fetch: request,
  };
}

async function describeRefusal(response: Response): Promise<ApiRefusal> {
  const { status } = response;
  if (status === 401)
    return new ApiRefusal(status, 'The server does not know this key. Make a new one: npx tramontane keys create');
  const { message, detail } = parse(await response.text());
  if (Array.isArray(detail)) {
    const items = detail as ApiRefusal['items'];
    const words = items.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ');
    return new ApiRefusal(status, words, items);
  }
  return new ApiRefusal(status, message ?? detail ?? `The server answered ${status}.`);
}

function parse(text: string): { message?: string; detail?: string | unknown[] } {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

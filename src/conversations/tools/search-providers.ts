import { type Outbound, OutboundError } from '../../kit/outbound/index.ts';
import { conversationErrors } from '../errors.ts';

export type SearchHit = { title: string; url: string; description: string };
export type SearchProviderConfig = {
  provider: 'searxng' | 'brave' | 'tavily';
  url?: string | undefined;
  api_key?: string | undefined;
  results: number;
};

/** `premium` asks for the provider's better, more expensive search. */
export type Search = (query: string, options: { premium: boolean; signal: AbortSignal }) => Promise<SearchHit[]>;

type ProviderRequest = { url: string; method?: string; headers?: Record<string, string>; body?: string };
type Provider = {
  /** The default address. */
  url: string;
  toRequest(config: SearchProviderConfig, query: string, premium: boolean): ProviderRequest;
  readHits(response: unknown): Partial<Record<keyof SearchHit, unknown>>[];
};

const providers: Record<SearchProviderConfig['provider'], Provider> = {
  searxng: {
    url: 'http://127.0.0.1:8888',
    toRequest: (config, query) => ({
      url: `${searchAddress(config)}/search?${new URLSearchParams({ q: query, format: 'json' })}`,
    }),
    readHits: readResults,
  },
  brave: {
    url: 'https://api.search.brave.com',
    toRequest: (config, query, premium) => ({
      url: `${searchAddress(config)}/res/v1/web/search?${new URLSearchParams({
        q: query,
        count: String(config.results),
        ...(premium ? { extra_snippets: 'true' } : {}),
      })}`,
      headers: { 'x-subscription-token': config.api_key ?? '' },
    }),
    readHits: (response) => listOf((response as { web?: unknown } | null)?.web, 'results'),
  },
  tavily: {
    url: 'https://api.tavily.com',
    toRequest: (config, query, premium) => ({
      url: `${searchAddress(config)}/search`,
      method: 'POST',
      headers: { authorization: `Bearer ${config.api_key ?? ''}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, max_results: config.results, search_depth: premium ? 'advanced' : 'basic' }),
    }),
    readHits: readResults,
  },
};

/** What a provider says is shown to the model and kept with the conversation. */
const URL_CHARACTERS_MAX = 2048;
const TEXT_CHARACTERS_MAX = 4096;

function readResults(response: unknown) {
  return listOf(response, 'results').map(({ title, url, content }) => ({ title, url, description: content }));
}

function searchAddress({ provider, url }: SearchProviderConfig): string {
  return (url ?? providers[provider].url).replace(/(?<!\/)\/+$/, '');
}

/** An address that may be private: one that the operator configured, or a SearXNG on this machine. */
export function ownSearchAddress(config: SearchProviderConfig): string | undefined {
  return config.url || config.provider === 'searxng' ? searchAddress(config) : undefined;
}

export function createSearch(config: SearchProviderConfig, outbound: Outbound): Search {
  const { toRequest, readHits } = providers[config.provider];
  return async (query, { premium, signal }) => {
    const { url, ...init } = toRequest(config, query, premium);
    const response = await fetchJson(outbound, url, { ...init, signal }, config.provider);
    // A provider without a premium search returns more results instead.
    const limit = premium ? config.results * 2 : config.results;
    return readHits(response)
      .filter((hit): hit is { url: string } & typeof hit => isWebAddress(hit.url))
      .slice(0, limit)
      .map(({ title, url: address, description }) => ({
        title: textOf(title) || address,
        url: address,
        description: textOf(description),
      }));
  };
}

async function fetchJson(
  outbound: Outbound,
  url: string,
  init: NonNullable<Parameters<Outbound['fetch']>[1]>,
  provider: string,
): Promise<unknown> {
  try {
    const response = await outbound.fetch(url, { ...init, headers: { accept: 'application/json', ...init.headers } });
    const text = await response.text();
    if (response.status !== 200)
      throw conversationErrors.tool_server_failed(`The search provider ${provider} answered ${response.status}.`);
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof OutboundError || error instanceof SyntaxError)
      throw conversationErrors.tool_server_failed(`The search provider ${provider} could not be used.`, {
        cause: error,
      });
    throw error;
  }
}

function listOf(value: unknown, key: string): Record<string, unknown>[] {
  const list = (value as Record<string, unknown> | null | undefined)?.[key];
  if (!Array.isArray(list)) return [];
  return list.filter((item): item is Record<string, unknown> => typeof item === 'object' && item !== null);
}

function isWebAddress(value: unknown): value is string {
  return typeof value === 'string' && value.length <= URL_CHARACTERS_MAX && /^https?:/.test(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, TEXT_CHARACTERS_MAX).toWellFormed().replaceAll('\0', ' ') : '';
}

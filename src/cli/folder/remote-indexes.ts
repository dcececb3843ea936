import type { ApiClient } from '../shell/api-client.ts';
import type { IndexDocument, IndexFile, IndexSummary } from './index-file.ts';

export const INDEXES_PATH = '/v1/context/search-indexes';
/** Of the summaries that an index may have. */
const LANGUAGES = ['en', 'fr', 'es', 'de', 'it', 'pt_br', 'pl', 'ar', 'nl'];

type Page<T> = { data: T[]; next_page_token?: string | null };

async function* pages<T>(api: ApiClient, path: string): AsyncGenerator<T> {
  const query = new URLSearchParams({ page_size: '100' });
  for (;;) {
    const page = await api.get<Page<T>>(`${path}?${query}`);
    yield* page.data;
    if (!page.next_page_token) return;
    query.set('page_token', page.next_page_token);
  }
}

export async function listIndexes(api: ApiClient): Promise<IndexFile[]> {
  const found: IndexFile[] = [];
  for await (const { name, config, schema } of pages<IndexFile>(api, INDEXES_PATH))
    found.push({ name, config, schema });
  return found;
}

export const listIndexDocuments = (api: ApiClient, name: string): AsyncGenerator<IndexDocument> =>
  pages<IndexDocument>(api, `${INDEXES_PATH}/${name}/documents`);

export async function readSummaries(api: ApiClient, name: string): Promise<Record<string, IndexSummary>> {
  const summaries: Record<string, IndexSummary> = {};
  for (const language of LANGUAGES) {
    const summary = await api.find<IndexSummary>(`${INDEXES_PATH}/${name}/summary_field/${language}`);
    if (summary) summaries[language] = summary;
  }
  return summaries;
}

import type { StepContext } from './definitions.ts';
import { refusal } from './run/refusal.ts';

export type LibrarySearch = {
  /** The id of the library. */
  library: string;
  query: string;
  /** 1 to 50; 10 if left out. */
  topK?: number;
  mode?: 'hybrid' | 'text' | 'vector';
  /** Only documents that have each of these. */
  attributes?: Record<string, string | number | boolean>;
};

export type LibraryPassage = {
  library_id: string;
  document_id: string;
  document_name: string;
  title: string;
  text: string;
  headings: string[];
  /** From 0; null where the document has no pages. */
  page: number | null;
  score: number;
};

/** Searches a library of the platform from a step, with the worker's key. */
export async function searchLibrary(
  step: Pick<StepContext, 'platform' | 'signal'>,
  { library, query, topK, mode, attributes }: LibrarySearch,
): Promise<LibraryPassage[]> {
  const { url, apiKey } = step.platform;
  const response = await fetch(`${url}/v1/libraries/${encodeURIComponent(library)}/search`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, top_k: topK, mode, attributes }),
    signal: step.signal,
  });
  if (!response.ok) throw await refusal(response);
  return ((await response.json()) as { data: LibraryPassage[] }).data;
}

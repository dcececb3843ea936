import type { ApiClient } from '../shell/api-client.ts';

export type Passage = {
  library_id: string;
  document_id: string;
  document_name: string;
  title: string;
  text: string;
  headings: string[];
  page: number | null;
  score: number;
};

export async function searchLibrary(
  api: ApiClient,
  libraryId: string,
  request: { query: string; top_k: number; mode?: string },
): Promise<Passage[]> {
  return (await api.send<{ data: Passage[] }>('POST', `/v1/libraries/${libraryId}/search`, request)).data.data;
}

/** Document, page and headings, as a reader looks for them. */
export function placeOf({ document_name, page, headings }: Passage): string {
  return printable(
    [document_name, page === null ? '' : `page ${page + 1}`, headings.join(' > ')].filter(Boolean).join(', '),
  );
}

/** Documents come from anybody; an escape sequence in one must not reach the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/(?!\n)\p{C}/gu, '\ufffd');
}

import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { codeOf } from '../../kit/base/error-code.ts';
import { CommandFailure } from '../../operator/command-failure.ts';
import type { ApiClient } from '../shell/api-client.ts';
import { formatCount } from '../shell/format-table.ts';

export type Document = {
  id: string;
  name: string;
  hash: string | null;
  size: number | null;
  number_of_pages?: number | null;
  process_status: string;
  processing_status: string;
  attributes?: Record<string, unknown> | null;
  url?: string | null;
};

/** `reason` says why it could not be read. */
export type ReadDocument = Document & { reason: string | null };

const POLL_FIRST_MS = 100;
const POLL_MAX_MS = 2000;

export async function listDocuments(api: ApiClient, libraryId: string): Promise<Document[]> {
  const found: Document[] = [];
  for (let page = 0; ; page++) {
    const query = new URLSearchParams({ page: String(page), page_size: '100', sort_by: 'name', sort_order: 'asc' });
    const listed = await api.get<{ data: Document[]; pagination: { has_more: boolean } }>(
      `/v1/libraries/${libraryId}/documents?${query}`,
    );
    found.push(...listed.data);
    if (!listed.pagination.has_more) return found;
  }
}

/** The document, and whether the library had this content already. */
export async function uploadDocument(
  api: ApiClient,
  libraryId: string,
  file: string,
  as: { name?: string; mime_type?: string | undefined } = {},
): Promise<{ document: Document; isNew: boolean }> {
  const form = new FormData();
  const content = await openAsBlob(file, { type: as.mime_type ?? '' }).catch((error: unknown) => {
    throw new CommandFailure(`${file} cannot be read (${codeOf(error) || 'it is no file'}).`);
  });
  form.append('file', content, as.name ?? basename(file));
  const response = await api.fetch(`/v1/libraries/${libraryId}/documents`, { method: 'POST', body: form });
  return { document: (await response.json()) as Document, isNew: response.status === 201 };
}

/** Waits until each document has been read or has failed. */
export async function waitUntilRead(
  api: ApiClient,
  libraryId: string,
  documents: readonly Document[],
  onProgress: (text: string) => void,
): Promise<ReadDocument[]> {
  const done: ReadDocument[] = [];
  let pending = [...documents];
  for (let waitMs = POLL_FIRST_MS; pending.length > 0; waitMs = Math.min(POLL_MAX_MS, waitMs * 2)) {
    const still: Document[] = [];
    for (const { id, name } of pending) {
      const response = await api.fetch(`/v1/libraries/${libraryId}/documents/${id}`);
      const document = (await response.json()) as Document;
      if (document.processing_status !== 'Running') {
        const reason = response.headers.get('tramontane-error')?.replace(/^[a-z_]+: /, '') ?? null;
        done.push({ ...document, reason });
        continue;
      }
      const progress = response.headers.get('tramontane-progress');
      onProgress(`reading ${name}${progress ? ` (${progress})` : ''} … ${done.length} of ${documents.length} read`);
      still.push(document);
    }
    pending = still;
    if (pending.length > 0) await setTimeout(waitMs);
  }
  return done;
}

export function describeDocument({
  name,
  number_of_pages,
  processing_status,
  process_status,
  reason,
}: ReadDocument): string {
  if (processing_status === 'Failed') return `${name}: could not be read. ${reason ?? ''}`.trimEnd();
  if (process_status === 'noop') return `${name}: its documents are read one by one`;
  return `${name}: ${formatCount(number_of_pages ?? 0, 'page')}`;
}

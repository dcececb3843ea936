import { isoMicros } from '../../kit/base/clock.ts';
import type { Call } from '../../metering/index.ts';
import { findAccess, viewerOf } from '../find-access.ts';
import type { SearchIndex } from '../ports.ts';
import type { LibraryPassage, SearchLibraryRequest } from '../schema.ts';
import { listDocumentNames } from '../store/documents.ts';
import { listLibraries } from '../store/libraries.ts';
import type { LibraryRow } from '../store/tables.ts';
import type { ServicePorts } from './ports.ts';

/** Libraries that one search without names looks into. */
const LIBRARIES_MAX = 50;

export type SearchPart = {
  /** Throws 404 for a library that the caller does not see. */
  inLibraries(call: Call, ids: readonly string[], request: SearchLibraryRequest): Promise<LibraryPassage[]>;
  /** In the newest libraries that the caller sees. */
  inAll(call: Call, request: SearchLibraryRequest): Promise<LibraryPassage[]>;
};

export type SearchPorts = Pick<ServicePorts, 'database' | 'now'> & { search: SearchIndex };

export function createSearchPart({ database: { db }, now, search }: SearchPorts): SearchPart {
  async function find(call: Call, libraries: LibraryRow[], request: SearchLibraryRequest): Promise<LibraryPassage[]> {
    if (libraries.length === 0) return [];
    const { query, top_k, mode, attributes = {}, rerank } = request;
    const matches = Object.entries(attributes).map(([field, value]) => ({ type: 'equal' as const, field, value }));
    const found = await search({
      collections: libraries.map(({ id, workspace_id }) => ({ workspaceId: workspace_id, collectionId: id })),
      query,
      limit: top_k,
      mode,
      ...(matches.length > 0 ? { filter: { type: 'and' as const, matches } } : {}),
      rerank,
      caller: call,
    });
    const names = await listDocumentNames(db, [...new Set(found.map(({ documentId }) => documentId))], isoMicros(now));
    // What expired or was deleted a moment ago may still be in the index.
    return found.flatMap((passage) => {
      const name = names.get(passage.documentId);
      return name === undefined ? [] : toPassage(passage, name);
    });
  }

  return {
    async inLibraries(call, ids, request) {
      const libraries = await Promise.all(ids.map((id) => findAccess(db, call.scope, id, 'Viewer')));
      return find(call, libraries, request);
    },
    async inAll(call, request) {
      const none = { search: undefined, isOwnedBy: undefined };
      const page = { limit: LIBRARIES_MAX, offset: 0, after: undefined };
      return find(call, await listLibraries(db, viewerOf(call.scope), none, page), request);
    },
  };
}

function toPassage(
  { collectionId, documentId, chunkId, title, text, kind, headings, page, boxes, attributes, scores }: Found,
  document_name: string,
): LibraryPassage {
  return {
    library_id: collectionId,
    document_id: documentId,
    document_name,
    chunk_id: chunkId,
    title,
    text,
    kind,
    headings,
    page,
    boxes,
    attributes,
    score: scores.rerank ?? scores.fused,
    scores,
  };
}

type Found = Awaited<ReturnType<SearchIndex>>[number];

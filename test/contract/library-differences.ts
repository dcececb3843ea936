import type { KnownDifference } from './reconcile-differences.ts';

const strict = 'Unknown properties are refused wherever the contract does not say otherwise.';
const bounded = 'A page is a bounded piece of a list that begins at 0, and texts in queries have a maximum.';
const idempotent = 'Whatever creates something honours Idempotency-Key, which no client needs to know.';
const now = 'A deletion answers 200 with what was deleted; 204 is announced for the future only.';
const leftOut =
  'Shown on request only: headers and footers that are kept beside the text, which the published API does not show.';
const sorted = 'Only fields that a document has can be sorted by; anything else is 422.';

export const libraryDifferences: KnownDifference[] = [
  ...['CreateLibraryRequest', 'SharingDelete', 'SharingRequest', 'UpdateDocumentRequest', 'UpdateLibraryRequest'].map(
    (at): KnownDifference => ({ at, kind: 'closed-here', reason: strict }),
  ),
  {
    at: 'SharingDelete.level',
    kind: 'added-property',
    reason: 'The published schema requires it without describing it; it may be sent and changes nothing.',
  },
  {
    at: 'UpdateDocumentRequest.attributes{}(string #2)',
    kind: 'missing-alternative',
    reason: 'In JSON a time is a text too.',
  },
  { at: 'GET /v1/libraries query.page*', kind: 'limit', reason: bounded },
  { at: 'GET /v1/libraries query.search*', kind: 'limit', reason: bounded },
  { at: 'POST /v1/libraries header.idempotency-key', kind: 'added-parameter', reason: idempotent },
  { at: 'DELETE /v1/libraries/{library_id}', kind: 'status', reason: now },
  { at: 'GET /v1/libraries/{library_id}/documents query.*', kind: 'limit', reason: bounded },
  { at: 'GET /v1/libraries/{library_id}/documents query.sort_by', kind: 'enum', reason: sorted },
  { at: 'GET /v1/libraries/{library_id}/documents query.sort_order', kind: 'enum', reason: sorted },
  {
    at: 'POST /v1/libraries/{library_id}/documents header.idempotency-key',
    kind: 'added-parameter',
    reason: idempotent,
  },
  { at: 'POST /v1/libraries/{library_id}/documents body multipart/form-data', kind: 'closed-here', reason: strict },
  {
    at: 'POST /v1/libraries/{library_id}/documents 200',
    kind: 'content-type',
    reason: 'The response stands under its name in the components.',
  },
  {
    at: 'GET /v1/libraries/{library_id}/documents/{document_id}/text_content query.page_*',
    kind: 'limit',
    reason: bounded,
  },
  {
    at: 'GET /v1/libraries/{library_id}/documents/{document_id}/text_content query.left_out',
    kind: 'added-parameter',
    reason: leftOut,
  },
  { at: 'DocumentTextContent.left_out', kind: 'added-property', reason: leftOut },
  { at: 'DELETE /v1/libraries/{library_id}/share', kind: 'status', reason: now },
];

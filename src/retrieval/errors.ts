import { defineErrors } from '../kit/http/index.ts';

export const retrievalErrors = defineErrors({
  collection_removed: {
    status: 409,
    when: 'What a document belongs to was deleted while the document was being indexed.',
    fix: 'Nothing needs to be done: the document is gone with it.',
    message: 'What this document belongs to was deleted while it was being indexed.',
  },
  collection_full: {
    status: 400,
    when: 'A library or search index would have more than 268 million chunks.',
    fix: 'Begin another one.',
    message: 'This collection of documents is full. Begin another one.',
  },
  too_many_chunks: {
    status: 400,
    when: 'One document has too many chunks.',
    fix: 'Split the document into several.',
    message: (most: number) => `A document may have at most ${most} chunks. Split it into several documents.`,
  },
  vector_length_differs: {
    status: 400,
    when: 'A vector is longer or shorter than those that are stored already.',
    fix: 'Send vectors of the length that the index was created with.',
    message: (length: number, expected: number) =>
      `A vector has ${length} numbers, but those of this collection have ${expected}.`,
  },
  nothing_to_search_for: {
    status: 400,
    when: 'A search has an empty query.',
    fix: 'Send what to look for.',
    message: 'The query is empty. Send what to look for.',
  },
  vectors_unavailable: {
    status: 400,
    when: 'A search by vectors is asked for, but the collection has none, or its model is not served.',
    fix: 'Search by words, or ask the operator to serve the embedding model.',
    message:
      'This collection cannot be searched by vectors: its embedding model is not served. Search by words instead.',
  },
  query_vector_needed: {
    status: 400,
    when: "The index takes its vectors from its users, and the search came without the query's.",
    fix: 'Send `query_embedding`.',
    message: 'The vectors of this index are made elsewhere: send the vector of the query in query_embedding.',
  },
});

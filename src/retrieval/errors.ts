import { defineErrors, missing } from '../kit/http/index.ts';

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
  too_many_searches: {
    status: 429,
    when: 'Too many searches of this organization or key wait for their turn.',
    fix: 'Wait for as long as `Retry-After` says, and send fewer searches at once.',
    message: 'Too many of your searches wait already. Wait for some of them to end.',
  },
  search_overloaded: {
    status: 503,
    when: 'So many searches wait that the server takes no more.',
    fix: 'Try again after as long as `Retry-After` says.',
    message: 'Too many searches wait on this server. Try again later.',
  },
  search_index_not_found: missing('search index'),
  indexed_document_not_found: missing('document of this index'),
  indexed_chunk_not_found: missing('chunk of this index'),
  summary_not_found: {
    status: 404,
    when: 'The search index has no summary in this language.',
    fix: 'Write one with PUT, or have one written with POST.',
    message: (language: string) => `This index has no summary in '${language}'. Write one, or have one written.`,
  },
  search_index_exists: {
    status: 409,
    when: 'The workspace has a search index of this name.',
    fix: 'Choose another name, or delete the other index.',
    message: (name: string) => `There is a search index '${name}' already. Choose another name.`,
  },
  field_not_searchable: {
    status: 400,
    when: 'A search names a field that has no index of its own.',
    fix: 'Leave `field` out, or use a filter.',
    message: (field: string) => `The field '${field}' cannot be searched by itself. Leave field out, or use a filter.`,
  },
  no_summary_model: {
    status: 400,
    when: 'A summary was asked for, and no chat model of this server can write it.',
    fix: 'Write the summary yourself with PUT, or ask the operator to add a chat model.',
    message: 'No chat model of this server can write a summary. Write it yourself with PUT.',
  },
  too_many_registrations: {
    status: 409,
    when: 'The workspace has registered as many deployments, or ingestion pipelines, as it may.',
    fix: 'Forget one that is not used, or change one by registering it under its name again.',
    message: (what: string, most: number) =>
      `This workspace has ${most} ${what} already. Forget one that is not used, or register one of them again.`,
  },
  deployment_not_registered: missing('deployment'),
  pipeline_not_registered: missing('ingestion pipeline'),
});

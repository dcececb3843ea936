import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fieldCitations } from './field-citations.ts';
import { findUncitedFields } from './find-uncited-fields.ts';
import type { OpenApiDocument } from './json-schema.ts';
import { requirements } from './requirements.ts';

const path = new URL('../../openapi/openapi.json', import.meta.url);
const document = JSON.parse(readFileSync(path, 'utf8')) as OpenApiDocument;
const inference = /^\/v1\/(models|chat|fim|embeddings|fine_tuning|audio)\b/;
const ids = new Set(requirements.map(({ id }) => id));

describe('the fields of models, chat, the middle, embeddings and speech', () => {
  it('each belong to a promise, which a test cites', () => {
    expect(findUncitedFields(document, inference, fieldCitations, ids)).toEqual({
      uncited: [],
      gone: [],
      unknownIds: [],
    });
  });

  it('are missed when one has no promise, when one is gone, and when its promise is', () => {
    const planted: OpenApiDocument = {
      paths: { '/v1/chat/x': { post: { requestBody: { content: ref('A') } } }, '/v1/other': { get: {} } },
      components: {
        schemas: {
          A: { properties: { known: { $ref: '#/components/schemas/B' }, forgotten: {} } },
          B: { properties: { whole: {} } },
          C: { properties: { elsewhere: {} } },
        },
      },
    };
    const citations = { A: { known: 'X-KNOWN', past: 'X-KNOWN' }, C: 'X-NOBODY' };
    expect(findUncitedFields(planted, inference, citations, new Set(['X-KNOWN']))).toEqual({
      uncited: ['A.forgotten', 'B.whole'],
      gone: ['A.past', 'C'],
      unknownIds: ['X-NOBODY'],
    });
  });
});

function ref(name: string) {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } };
}

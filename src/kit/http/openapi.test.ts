import { expect, it } from 'vitest';
import { z } from 'zod';
import { buildOpenApi } from './openapi.ts';
import { type AnyRoute, route } from './route.ts';

const Invalid = z.object({ detail: z.array(z.string()) }).meta({ id: 'Invalid' });
const Blocked = z.object({ blocked: z.boolean() }).meta({ id: 'Blocked' });

type Answers = Record<string, { $ref?: string; content?: unknown }>;
type Operation = { responses: Answers; requestBody?: { content: unknown } };
type Document = { paths: Record<string, Record<string, Operation>>; components: { responses: Answers } };

function answersOf(definition: AnyRoute) {
  const document = buildOpenApi([definition], {
    title: 'Test',
    version: '1',
    description: '',
    securitySchemes: {},
    security: { standard: [], admin: [], console: [], live: [] },
    validationSchemas: { plain: Invalid, explained: Invalid },
    errorStyles: [['/plain', { shape: 'detail' }]],
  }) as unknown as Document;
  const [operation] = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const refs = Object.entries(operation?.responses ?? {}).flatMap(([status, { $ref }]) =>
    $ref ? [[status, $ref]] : [],
  );
  return { refs: Object.fromEntries(refs), document, operation };
}

const common = { operationId: 'test', summary: 'Test', handler: () => undefined };

it('documents every status that a route of its kind may answer with, each with the body of its family', () => {
  const { refs, document } = answersOf(
    route({ ...common, method: 'POST', path: '/notes', permission: 'notes:write', body: z.strictObject({}) }),
  );
  expect(Object.keys(refs)).toEqual('400 401 403 404 408 409 413 415 422 429 500 503 507'.split(' '));
  expect(refs).toMatchObject({
    401: '#/components/responses/ErrorDetail401',
    404: '#/components/responses/ErrorObject404',
    422: '#/components/responses/Invalid422',
  });
  expect(document.components.responses.ErrorObject404?.content).toEqual({
    'application/json': { schema: { $ref: '#/components/schemas/ErrorObject' } },
  });
});

it('documents no 401 where no key is asked for, no 409 where nothing changes, no 404 where nothing is named', () => {
  const { refs } = answersOf(route({ ...common, method: 'GET', path: '/plain/list', permission: 'public' }));
  expect(Object.keys(refs)).toEqual('400 403 422 429 500 503'.split(' '));
  expect(refs[400]).toBe('#/components/responses/ErrorDetail400');
});

it('documents what a route says of itself: statuses of its own, and bodies of its own', () => {
  const refsOf = (path: string) =>
    answersOf(route({ ...common, method: 'GET', path, permission: 'notes:read', alsoAnswers: [504, [403, Blocked]] }))
      .refs;
  expect(refsOf('/notes')).toMatchObject({
    403: '#/components/responses/ErrorObjectOrBlocked403',
    504: '#/components/responses/ErrorObject504',
  });
  // Other families have other errors beside the same body.
  expect(refsOf('/plain/notes')).toMatchObject({ 403: '#/components/responses/ErrorDetailOrBlocked403' });
});

it('writes the fields of a form out beside its file, also those of a named body, which forbids others', () => {
  const body = z.strictObject({ language: z.string() }).meta({ id: 'Recording' });
  const upload = {
    part: 'file',
    isOptional: true,
    bytesMax: () => 1,
    stage: () => Promise.reject(new Error('unused')),
  };
  const { operation } = answersOf(
    route({ ...common, method: 'POST', path: '/words', permission: 'notes:write', body, upload }),
  );
  expect(operation?.requestBody?.content).toEqual({
    'multipart/form-data': {
      schema: {
        type: 'object',
        properties: { language: { type: 'string' }, file: { type: 'string', format: 'binary' } },
        required: ['language'],
        additionalProperties: false,
      },
    },
    'application/json': { schema: { $ref: '#/components/schemas/Recording' } },
  });
});

it('documents each type of a file beside the JSON and the events that the same route may answer with', () => {
  const Word = z.object({ word: z.string() }).meta({ id: 'Word' });
  const { operation } = answersOf(
    route({
      ...common,
      method: 'GET',
      path: '/words',
      permission: 'notes:read',
      response: Word,
      streams: z.object({ data: Word }),
      downloads: ['text/plain', 'text/vtt'],
      handler: () => ({ word: 'yes' }),
    }),
  );
  const file = { schema: { type: 'string', format: 'binary' } };
  expect(operation?.responses[200]?.content).toMatchObject({
    'text/plain': file,
    'text/vtt': file,
    'application/json': { schema: { $ref: '#/components/schemas/Word' } },
    'text/event-stream': { schema: { properties: { data: { $ref: '#/components/schemas/Word' } } } },
  });
});

import { describe, expect, it } from 'vitest';
import { compareOperations, sharedOperations } from './compare-operations.ts';
import type { DifferenceKind } from './compare-schemas.ts';
import type { Content, Operation, Schema } from './json-schema.ts';

const path = '/v1/things/{id}';

function compare(ours: Operation, theirs: Operation) {
  const found = compareOperations({ paths: { [path]: { get: ours } } }, { paths: { [path]: { get: theirs } } });
  return found.map(({ at, kind }) => `${kind} ${at}`);
}

function json(schema: Schema): Content {
  return { 'application/json': { schema } };
}

function query(more: object = {}, schema: Schema = { type: 'integer' }): Operation {
  return { parameters: [{ name: 'page', in: 'query', schema, ...more }] };
}

describe('operations are paired', () => {
  it('whatever the path calls its parameters', () => {
    const ours = { paths: { '/v1/things/{thing_id}': { get: { parameters: [{ name: 'thing_id', in: 'path' }] } } } };
    const theirs = { paths: { [path]: { get: { parameters: [{ name: 'id', in: 'path' }] } } } };
    expect(sharedOperations(ours, theirs)).toEqual(['GET /v1/things/{thing_id}']);
    expect(compareOperations(ours, theirs)).toEqual([]);
  });

  it('only with the same method and path', () => {
    const theirs = { paths: { [path]: { get: { operationId: 'a' } } } };
    expect(sharedOperations({ paths: { [path]: { post: {} } } }, theirs)).toEqual([]);
    expect(sharedOperations({ paths: { '/v1/things': { get: {} } } }, theirs)).toEqual([]);
  });

  it('with a path that the twin marks by a suffix', () => {
    const theirs = { paths: { [`${path}#id`]: { get: { operationId: 'b' } } } };
    const [difference] = compareOperations({ paths: { [path]: { get: { operationId: 'a' } } } }, theirs);
    expect(difference).toEqual({ at: `GET ${path}`, kind: 'operation-id', ours: 'a', theirs: 'b' });
  });

  it('with both halves of an operation that the twin splits for streaming', () => {
    const stream = { 'text/event-stream': {} };
    const whole = { operationId: 'start', responses: { 200: { content: json({ type: 'string' }) } } };
    const streamed = { operationId: 'start_stream', responses: { 200: { content: stream } } };
    const ours = { ...whole, responses: { 200: { content: { ...json({ type: 'string' }), ...stream } } } };
    const theirs = { paths: { '/v1/talks#stream': { post: streamed }, '/v1/talks': { post: whole } } };
    expect(compareOperations({ paths: { '/v1/talks': { post: ours } } }, theirs)).toEqual([]);
    expect(compareOperations({ paths: { '/v1/talks': { post: whole } } }, theirs)).toMatchObject([
      { at: 'POST /v1/talks 200', kind: 'content-type' },
    ]);
  });
});

describe('two spellings of one operation are the same', () => {
  it('a query parameter that may be null and one that may be left out', () => {
    expect(compare(query(), query({}, { anyOf: [{ type: 'integer' }, { type: 'null' }] }))).toEqual([]);
  });

  it('a parameter given as a schema and one given as JSON content', () => {
    const encoded = { parameters: [{ name: 'page', in: 'query', content: json({ type: 'integer' }) }] };
    expect(compare(query(), encoded)).toEqual([]);
  });

  it('a header in another case', () => {
    const header = (name: string) => ({ parameters: [{ name, in: 'header', schema: { type: 'string' } }] });
    expect(compare(header('Last-Event-ID'), header('last-event-id'))).toEqual([]);
  });
});

describe('planted differences are reported', () => {
  const body = (schema: Schema, required = true): Operation => ({ requestBody: { required, content: json(schema) } });
  const answer = (schema: Schema, status = 200): Operation => ({ responses: { [status]: { content: json(schema) } } });

  it.each<[DifferenceKind, string, Operation, Operation]>([
    ['operation-id', '', { operationId: 'a' }, { operationId: 'b' }],
    ['missing-parameter', ' query.page', {}, query()],
    ['added-parameter', ' query.page', query(), {}],
    ['required', ' query.page', query(), query({ required: true })],
    ['type', ' query.page', query(), query({}, { type: 'string' })],
    ['default', ' query.page', query(), query({}, { type: 'integer', default: 0 })],
    ['limit', ' query.page:minimum', query(), query({}, { type: 'integer', minimum: 0 })],
    ['added-parameter', ' path.1', { parameters: [{ name: 'id', in: 'path' }] }, {}],
    ['status', '', answer({}, 201), answer({}, 200)],
    ['type', ' 200', answer({ type: 'string' }), answer({ type: 'integer' })],
    ['type', ' body', body({ type: 'string' }), body({ type: 'integer' })],
    ['required', ' body', body({}), body({}, false)],
    ['content-type', ' body', {}, body({})],
    ['content-type', ' 200', { responses: { 200: {} } }, answer({})],
  ])('%s at%s', (kind, place, ours, theirs) => {
    expect(compare(ours, theirs)).toEqual([`${kind} GET ${path}${place}`]);
  });

  it('inside a body that is not JSON, named by its type', () => {
    const form = (schema: Schema) => ({ requestBody: { content: { 'multipart/form-data': { schema } } } });
    expect(compare(form({ type: 'string' }), form({ type: 'object' }))).toEqual([
      `type GET ${path} body multipart/form-data`,
    ]);
  });

  it('nothing about answers that are errors', () => {
    expect(compare(answer({ type: 'string' }, 404), answer({ type: 'integer' }, 422))).toEqual([]);
  });
});

import { expect, it } from 'vitest';
import { z } from 'zod';
import { compareShapes } from './sdk-sweep/compare-shapes.ts';
import { compareFields, typescriptTypes } from './sdk-sweep/fields.ts';
import { shapesOfJson, shapesOfZod } from './sdk-sweep/shapes.ts';
import { reconcileFields } from './sdk-sweep/unserved-fields.ts';
import { reconcileOperations } from './sdk-sweep/unserved-operations.ts';

const ours = z.strictObject({
  model: z.string(),
  effort: z.enum(['low', 'high']).nullable().optional(),
  parts: z.array(z.discriminatedUnion('type', [z.object({ type: z.literal('text'), text: z.string() })])),
  free: z.record(z.string(), z.unknown()).optional(),
});
const text = { type: 'object', properties: { type: { const: 'text' }, text: { type: 'string' } } };
const audio = { type: 'object', properties: { type: { const: 'audio' }, data: { type: 'string' } } };

function missing(properties: object, part: 'body' | 'response' = 'body'): string[] {
  const sdk = shapesOfJson({ type: 'object', properties: properties as never, $defs: {} }, {});
  return [...compareShapes(part, sdk, shapesOfZod(ours, 'input')).missing];
}

it('a field, a value and a variant that an SDK types and we do not have are found', () => {
  expect(missing({ model: { type: 'string' }, free: { type: 'object', properties: { any: {} } } })).toEqual([]);
  expect(missing({ model: { type: 'string' }, top_k: { type: 'integer' } })).toEqual(['top_k']);
  expect(missing({ effort: { enum: ['low', 'max'] } })).toEqual(['effort=max']);
  expect(missing({ effort: { enum: ['low', 'max'] } }, 'response')).toEqual([]);
  expect(missing({ parts: { type: 'array', items: { oneOf: [text, audio] } } })).toEqual(['parts[]{type=audio}']);
  const longer = { ...text, properties: { ...text.properties, language: { type: 'string' } } };
  expect(missing({ parts: { type: 'array', items: longer } })).toEqual(['parts[].language']);
});

it('the TypeScript SDK is read by the names that it sends', () => {
  const sdk = z.object({ topK: z.number() }).transform((value) => ({ remap: [value, { topK: 'top_k' }] }));
  const [shape] = shapesOfZod(sdk, 'outbound');
  expect(shape?.kind === 'object' && [...shape.fields.keys()]).toEqual(['top_k']);
});

it('a field without a reason fails the sweep, and so does a reason without a field', () => {
  const rows = [{ operation: 'GET /v1/models', missing: new Set(['response.data[].new']) }];
  const line = { operation: 'GET /v1/*', field: 'response.*new', reason: 'Because.' };
  expect(reconcileFields(rows, [])).toEqual(['GET /v1/models response.data[].new']);
  expect(reconcileFields(rows, [line])).toEqual([]);
  expect(reconcileFields([], [line])).toEqual(['remove the line GET /v1/* response.*new']);
});

it('an operation without a reason fails the sweep, and so does a reason without an operation', () => {
  const line = { operation: '* /v1/rooms*', reason: 'Because.' };
  expect(reconcileOperations(['GET /v1/rooms/{id}', 'GET /v1/doors'], [line])).toEqual(['GET /v1/doors']);
  expect(reconcileOperations([], [line])).toEqual(['remove the line * /v1/rooms*']);
});

it('the operations of the SDK are found with hundreds of fields', async () => {
  const chat = compareFields(await typescriptTypes()).find(
    ({ operation }) => operation === 'POST /v1/chat/completions',
  );
  expect(chat?.fields.has('body.messages[]{role=user}.content')).toBe(true);
  expect(chat?.fields.has('body.random_seed')).toBe(true);
  expect([...(chat?.missing ?? [])]).toEqual([]);
});

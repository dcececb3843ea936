import { describe, expect, it } from 'vitest';
import { lowerQuartile } from './tenants/compare-times.ts';
import { maskAnswer } from './tenants/mask.ts';
import { listOperations } from './tenants/operations.ts';
import { placesOf } from './tenants/places.ts';
import { missingLike } from './tenants/worlds.ts';

const { operations, resolve } = listOperations();
const [first] = operations;

describe('the search for ids', () => {
  it('reports a path parameter without a maker, and a body field that is named like an id', () => {
    if (!first) throw new Error('There are no operations.');
    const parameters = [{ name: 'widget_id', in: 'path', schema: {} }];
    const body = {
      type: 'object',
      properties: { parts: { type: 'array', items: { properties: { gadget_uuid: {} } } } },
    };
    const { unknown } = placesOf({ ...first, id: 'planted', parameters, body }, resolve);
    expect(unknown).toEqual(['planted path:widget_id', 'planted body:parts.[].gadget_uuid']);
  });

  it('leaves none unconsidered', () => {
    expect(operations.flatMap((operation) => placesOf(operation, resolve).unknown)).toEqual([]);
  });

  it('finds them in the path, the query and the body', () => {
    const places = operations.flatMap((operation) => placesOf(operation, resolve).places);
    for (const where of ['path', 'query', 'body'])
      expect([where, places.filter((place) => place.where === where).length > 20]).toEqual([where, true]);
  });
});

describe('the comparison of two answers', () => {
  const answer = (text: string, headers = {}, status = 404) => ({ status, headers, text });

  it('forgives the id that was named and the id of the request', () => {
    const foreign = answer('No file aaaa', { 'x-request-id': '1', 'content-length': '12' });
    const missing = answer('No file bbbb', { 'x-request-id': '2', 'content-length': '12' });
    expect(maskAnswer(foreign, 'aaaa')).toBe(maskAnswer(missing, 'bbbb'));
  });

  it('tells another word, another status, another length and another header', () => {
    const missing = maskAnswer(answer('No file bbbb', { 'content-length': '12' }), 'bbbb');
    for (const planted of [
      answer('Not your file aaaa', { 'content-length': '12' }),
      answer('No file aaaa', { 'content-length': '12' }, 403),
      answer('No file aaaa', { 'content-length': '13' }),
      answer('No file aaaa', { 'content-length': '12', 'x-owner': 'me' }),
    ])
      expect(maskAnswer(planted, 'aaaa')).not.toBe(missing);
  });

  it('names what is missing by an id of the same shape', () => {
    for (const id of [
      '01a1e012-8060-7ad5-81fb-7f81d14c68e0',
      'ag_01a1e012807272c8851cd744f5f11340',
      'workflow-owner',
    ]) {
      expect(missingLike(id)).not.toBe(id);
      expect(missingLike(id)).toHaveLength(id.length);
      expect(missingLike(id)).toMatch(/^[a-z0-9_-]+$/);
    }
  });

  it('takes the time of the quick quarter, which a busy machine does not move', () => {
    expect(lowerQuartile([1, 1, 1, 900, 800, 700, 1, 600])).toBe(1);
  });
});

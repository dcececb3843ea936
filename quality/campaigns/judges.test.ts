import { describe, expect, it } from 'vitest';
import { keyedOperations } from './idempotency/operations.ts';
import { judge } from './sdk-sweep/coverage.ts';
import type { Surface } from './sdk-sweep/surface.ts';
import { differences } from './upgrade/describe-schema.ts';
import { findDifference } from './upgrade/open-newest.ts';

describe('the sweep over the SDKs', () => {
  const models = { name: 'models.list', operations: ['GET /v1/models'] };
  const start = { name: 'deployments.start', operations: ['POST /v1/workflows/deployments/{id}/start'] };
  const absent = { name: 'nowhere.list', operations: ['GET /v1/nowhere'] };
  const surface: Surface = { language: 'TypeScript', version: '1', functions: [models, start, absent] };
  const swept = (log: Parameters<typeof judge>[1]['log']) => judge(surface, { log, broken: [], absent: [] });
  const fine = { parsed: 1, refused: [], failed: [] };
  const refused = { parsed: 0, refused: [409], failed: [] };

  it('is content with answers that were parsed, and with the refusals that are all there is', () => {
    const judged = swept({ 'models.list': fine, 'deployments.start': refused });
    expect(judged).toEqual({ functions: 3, served: 2, parsed: 2, failing: [], uncalled: [] });
  });

  it('reports what is served and not called, refused, or not readable', () => {
    expect(swept({ 'deployments.start': refused })).toMatchObject({ parsed: 1, uncalled: ['models.list'] });
    expect(swept({ 'models.list': refused, 'deployments.start': refused }).failing).toHaveLength(1);
    expect(swept({ 'models.list': fine, 'deployments.start': fine }).failing).toHaveLength(1);
    const unreadable = { parsed: 1, refused: [], failed: ['no such field'] };
    expect(swept({ 'models.list': unreadable, 'deployments.start': refused }).failing).toEqual([
      'models.list: no such field',
    ]);
  });
});

it('every operation that honours Idempotency-Key has a sample', () => {
  const { operations, missing } = keyedOperations();
  expect(missing).toEqual([]);
  expect(operations.length).toBeGreaterThan(15);
});

describe('the comparison of an upgraded database', () => {
  it('reports what it lacks and what it has too much', () => {
    expect(differences(new Set(['a', 'b']), new Set(['b', 'c']))).toEqual(['lacks a', 'has c']);
    expect(differences(new Set(['a']), new Set(['a']))).toEqual([]);
  });

  it('lets answers say more, and never less or otherwise', () => {
    const before = { id: 1, list: [{ name: 'a' }], active: true };
    expect(findDifference(before, { ...before, active: false, more: 1 }, '')).toBeUndefined();
    expect(findDifference(before, { ...before, list: [] }, '')).toBe('.list: 1 became 0');
    expect(findDifference(before, { ...before, id: undefined }, '')).toBe('.id: 1 became undefined');
    expect(findDifference(before, { ...before, list: [{ name: 'b' }] }, '')).toBe('.list.0.name: "a" became "b"');
  });
});

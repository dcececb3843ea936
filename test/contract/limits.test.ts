import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { documentedRoutes } from '../../src/app.ts';
import { type AnyRoute, limitedObject, route } from '../../src/kit/http/index.ts';
import { findUnbounded } from './find-unbounded.ts';
import { type Exception, exceptions } from './unbounded.ts';

const found = findUnbounded(documentedRoutes());

function matches({ at: pattern }: Exception, at: string): boolean {
  const parts = pattern.split(/([*?])/).map((part) => (part === '*' ? '.*' : part === '?' ? '.' : RegExp.escape(part)));
  return new RegExp(`^${parts.join('')}$`).test(at);
}

function planted(body: z.ZodType): AnyRoute {
  const common = { method: 'POST', path: '/things', operationId: 'x', summary: 'x', permission: 'x' } as const;
  return route({ ...common, body, handler: () => undefined });
}

describe('a request body', () => {
  it('has a maximum for every text, list and object, or a reason why not', () => {
    const unexplained = found.filter(({ at }) => !exceptions.some((exception) => matches(exception, at)));
    expect(unexplained.map(({ kind, at, route }) => `${kind} ${at} in ${route}`)).toEqual([]);
  });

  it('needs every exception that is listed', () => {
    const unused = exceptions.filter((exception) => !found.some(({ at }) => matches(exception, at)));
    expect(unused).toEqual([]);
  });

  it('is 1 MiB at most unless its route says otherwise', () => {
    const unbounded = documentedRoutes().filter((route) => route.largeBody && route.bodyBytesMax !== undefined);
    expect(unbounded).toEqual([]);
    const small = documentedRoutes().filter(({ body, largeBody, bodyBytesMax }) => body && !largeBody && !bodyBytesMax);
    expect(small.length).toBeGreaterThan(40);
  });
});

describe('the search for unbounded fields', () => {
  it.each([
    ['text', z.strictObject({ field: z.string().min(1) })],
    ['text', z.strictObject({ field: z.string().nullable().optional() })],
    ['text', z.strictObject({ field: z.union([z.int(), z.string()]) })],
    ['list', z.strictObject({ field: z.array(z.int()) })],
    ['any', z.strictObject({ field: z.record(z.string(), z.unknown()) })],
    ['record', z.strictObject({ field: z.record(z.string().max(1), z.int()) })],
    ['any', z.strictObject({ field: z.unknown() })],
  ])('finds a %s', (kind, body) => {
    expect(findUnbounded([planted(body)])).toEqual([{ at: 'POST /things.field', kind, route: 'POST /things' }]);
  });

  it('accepts what has a maximum', () => {
    const text = z.string().max(1);
    const body = z.strictObject({
      text,
      list: z.array(text).max(1),
      object: limitedObject({ keys: 1, characters: 10 }),
      time: z.iso.datetime(),
    });
    expect(findUnbounded([planted(body)])).toEqual([]);
  });
});

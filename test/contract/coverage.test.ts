import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { builtRooms } from './built-rooms.ts';
import { findGaps } from './find-gaps.ts';
import { requirements, rooms, untestable } from './requirements.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const paths = globSync('{src,test,packages,quality}/**/*.test.ts', {
  cwd: root,
  exclude: (path) => path.includes('node_modules'),
}).sort();
const sources = paths.map((path) => ({ path, text: readFileSync(`${root}/${path}`, 'utf8') }));
const gaps = findGaps({ requirements, rooms, builtRooms, sources });

describe('the promises of the specification and the tests that hold them', () => {
  it('every promise of a built room is cited by a test', () => {
    const lines = gaps.uncited.map(({ id, room, promise }) => `  [${id}] ${room}: ${promise}`);
    expect(lines, `${lines.length} promises without a test:\n${lines.join('\n')}\n`).toHaveLength(0);
  });

  it('a test cites only promises that exist', () => {
    expect(gaps.unknownIds).toEqual([]);
  });

  it('an id names one promise', () => {
    expect(gaps.duplicateIds).toEqual([]);
  });

  it('a promise belongs to a room of the platform', () => {
    expect(gaps.unknownRooms).toEqual([]);
  });

  it('every id can be cited and every promise says something', () => {
    const malformed = requirements.filter(
      ({ id, place, promise }) => !/^[A-Z][A-Z0-9]*(-[A-Z0-9]+)+$/.test(id) || !place || promise.length < 15,
    );
    expect(malformed).toEqual([]);
  });

  it('what cannot be tested gives its reason and is not also promised', () => {
    const ids = new Set(requirements.map(({ id }) => id));
    expect(untestable.filter(({ id, place, why }) => ids.has(id) || !place || !why)).toEqual([]);
  });
});

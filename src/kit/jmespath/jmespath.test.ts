import { describe, expect, it } from 'vitest';
import { cpuMsOf } from '../../../test/support/cpu-time.ts';
import { prepareQuery, QUERY_CHARACTERS_MAX } from './index.ts';

function find(source: string, value: unknown): unknown {
  const query = prepareQuery(source);
  if ('invalid' in query) return query;
  const outcome = query.run(value);
  return typeof outcome === 'object' && 'found' in outcome ? outcome.found : outcome;
}

const push = {
  event_type: 'push',
  ref: 'refs/heads/main',
  repository: { name: 'dashboard', size: 3, topics: ['a', 'b'] },
  commits: [
    { id: '1', author: { name: 'Ada' }, files: ['x.ts', 'y.ts'], lines: 4 },
    { id: '2', author: { name: 'Bob' }, files: [], lines: 9 },
    { id: '3', author: null, files: ['z.md'], lines: 1 },
  ],
};

describe('an expression', () => {
  it.each<[string, unknown]>([
    ["event_type == 'push' && repository.name == 'dashboard'", true],
    ["event_type == 'push' && repository.name == 'other'", false],
    ["event_type == 'pull' || repository.size > `2`", true],
    ['!missing', true],
    ['commits[*].author.name', ['Ada', 'Bob']],
    ['commits[].files[]', ['x.ts', 'y.ts', 'z.md']],
    ['commits[?lines > `3`].id | [0]', '1'],
    ['commits[-1].id', '3'],
    ['commits[::-1].id', ['3', '2', '1']],
    [
      'commits[0:2].{id: id, "the author": author.name}',
      [
        { id: '1', 'the author': 'Ada' },
        { id: '2', 'the author': 'Bob' },
      ],
    ],
    ['repository.*', ['dashboard', 3, ['a', 'b']]],
    ['repository.[name, size]', ['dashboard', 3]],
    ['length(commits)', 3],
    ["contains(repository.topics, 'b')", true],
    ["starts_with(ref, 'refs/heads/')", true],
    ['max_by(commits, &lines).id', '2'],
    ['sort_by(commits, &lines)[*].id', ['3', '1', '2']],
    ['sum(commits[].lines)', 14],
    ["join('-', commits[].id)", '1-2-3'],
    ['map(&id, commits)', ['1', '2', '3']],
    ['not_null(missing, ref)', 'refs/heads/main'],
    ["to_number('12')", 12],
    ['@.repository.size', 3],
    ['"repository".name', 'dashboard'],
    ['ref > `1`', null],
    ['repository.name[0]', null],
  ])('%s', (source, expected) => {
    expect(find(source, push)).toEqual(expected);
  });

  it.each([
    '',
    'a b',
    'a.',
    'a[',
    'a[?b',
    '[a',
    '{a}',
    'a ==',
    "'open",
    '`{`',
    'nothing(a)',
    'length()',
    'length(a, b)',
    'a[1:2:0]',
    '"a"(b)',
    '#',
    '('.repeat(2000),
    'a'.repeat(QUERY_CHARACTERS_MAX + 1),
  ])('%j is refused when it is read', (source) => {
    expect(prepareQuery(source)).toEqual({ invalid: expect.any(String) });
  });

  it('that does not fit the value fails, and says how', () => {
    expect(find('length(repository.size)', push)).toEqual({ failed: expect.stringContaining('number') });
    expect(find('sort(commits)', push)).toEqual({ failed: expect.stringContaining('sort') });
  });

  it('finds own members only', () => {
    expect(find('constructor', {})).toBeNull();
    expect(find('__proto__', {})).toBeNull();
    expect(find('toString || hasOwnProperty', { a: 1 })).toBeNull();
  });

  it('compares two long repetitive texts at once', () => {
    const texts = { a: 'a'.repeat(300_000), b: `${'a'.repeat(150_000)}b` };
    expect(find('contains(a, b)', texts)).toBe(false);
    expect(find('contains(b, a)', { a: texts.b.slice(1), b: texts.b })).toBe(true);
  });

  it('does not build what would be longer than both of its parts', () => {
    const value = { glue: 'x'.repeat(300_000), list: Array(300_000).fill('') };
    expect(find('join(glue, list)', value)).toBe('too_expensive');
  });

  it('pays for a text before it is written: nesting doubles it with each step', () => {
    const source = `@${'|[@,@]'.repeat(24)}|to_string(@)`;
    expect(cpuMsOf(() => expect(find(source, { a: 1 })).toBe('too_expensive'))).toBeLessThan(200);
  });

  it.each([
    `@${'|[@,@][]'.repeat(60)}`,
    `@${'|[@,@]'.repeat(60)}|to_string(@)`.replace('to_string(@)', `${'[][]'.repeat(30)}`),
    `[?${'@||'.repeat(500)}@]${'[?@]'.repeat(300)}`,
    `map(&map(&map(&map(&@, $), $), $), $)`.replaceAll(
      '$',
      '`[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]`',
    ),
    `join('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', @[].to_string(@))${'|[@,@]|join(@[0],@)'.repeat(60)}`,
  ])('that multiplies what it finds ends early: %#', (source) => {
    const value = Array.from({ length: 1000 }, (_, at) => at);
    let found: unknown;
    expect(
      cpuMsOf(() => {
        found = find(source, value);
      }),
    ).toBeLessThan(500);
    expect([found]).toContainEqual(expect.toSatisfy((one) => one === 'too_expensive' || 'invalid' in one));
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../../test/support/rounds.ts';
import { type SkillAssetContent, SkillDefinition } from '../skills.ts';
import { checkDefinition } from './check-definition.ts';
import { checkPath, foldName } from './check-path.ts';

const MIB = 1024 * 1024;
const text = (textContent = 'x'): SkillAssetContent => ({ textContent });
const files = (...paths: string[]) => ({ assets: Object.fromEntries(paths.map((path) => [path, text()])) });
const broken = (definition: SkillDefinition) => checkDefinition(definition).map(({ at, rule }) => [at.at(-1), rule]);

describe('the path of a file', () => {
  it.each([
    'a',
    'scripts/run.sh',
    'a/b/c/d.txt',
    '.hidden',
    'a..b',
    '...x',
    'gitignore',
    '.gitignore',
    'docs/SKILL.md',
    'zażółć gęślą/日本.md',
    'con-figuration.md',
    'constructor',
    'a b.txt',
    "it's (1) [x] {y} #z @w ~.md",
  ])('%j is taken', (path) => {
    expect(checkPath(path)).toEqual([]);
  });

  it.each([
    ['', ['path-empty']],
    ['/etc/passwd', ['path-absolute']],
    ['//server/share', ['path-absolute', 'path-segment']],
    ['..', ['path-parent']],
    ['../x', ['path-parent']],
    ['a/../../x', ['path-parent']],
    ['a\\..\\x', ['path-backslash', 'path-parent']],
    ['a\\b', ['path-backslash']],
    ['C:/x', ['path-drive']],
    ['c:x', ['path-drive']],
    ['a//b', ['path-segment']],
    ['./a', ['path-segment']],
    ['a/.', ['path-segment']],
    ['a/', ['path-segment']],
    ['a\u0000b', ['path-control']],
    ['a\nb', ['path-control']],
    ['a\u007f', ['path-control']],
    ['a\u0085b', ['path-control']],
    ['a\ud800', ['path-unicode']],
    ['nul', ['path-portable']],
    ['docs/CON.md', ['path-portable']],
    ['com1.txt', ['path-portable']],
    ['a. ', ['path-portable']],
    ['a./b', ['path-portable']],
    ['what?.md', ['path-portable']],
    ['a.txt:stream', ['path-portable']],
    ['x'.repeat(256), ['path-length']],
    [Array(600).fill('a').join('/'), ['path-length']],
    ['SKILL.md', ['path-reserved']],
    ['skill.MD', ['path-reserved']],
    ['.git/config', ['path-reserved']],
    ['a/.GIT/hooks/x', ['path-reserved']],
    ['git~1/config', ['path-reserved']],
  ])('%j breaks %j', (path, rules) => {
    expect(checkPath(path).map(({ rule }) => rule)).toEqual(rules);
  });

  it('that passes leads inside the folder, whatever it is', () => {
    const parts = fc.constantFrom('a', '.', '..', '/', '\\', ':', 'C', ' ', '\0', 'é', '~', 'nul');
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 8 }), (pieces) => {
        const path = pieces.join('');
        if (checkPath(path).length > 0) return;
        const { pathname } = new URL(encodeURI(path), 'file:///root/skill/');
        expect(pathname.startsWith('/root/skill/')).toBe(true);
        expect(path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')).toBe(true);
      }),
      { numRuns: rounds(300, 2000) },
    );
  });
});

describe('two files', () => {
  it.each([
    ['README.md', 'readme.MD'],
    ['caf\u00e9.txt', 'cafe\u0301.txt'],
    ['STRASSE', 'straße'],
    ['σας', 'ΣΑΣ'],
    ['\u212a', 'k'],
    ['Docs/a', 'docs/A'],
  ])('%j and %j are one file somewhere', (one, other) => {
    expect(broken(files(one, other))).toEqual([[other, 'path-collision']]);
    expect(foldName(one)).toBe(foldName(other));
  });

  it.each([
    ['a', 'a/b'],
    ['A', 'a/b/c'],
    ['a/B', 'a/b/c'],
  ])('%j and %j cannot both be, for one is the folder of the other', (file, below) => {
    expect(broken(files(file, below))).toEqual([[below, 'path-folder']]);
    expect(broken(files(below, file))).toEqual([[below, 'path-folder']]);
  });

  it('with different names live side by side', () => {
    expect(broken(files('a', 'ab/c', 'b', 'a.b/c'))).toEqual([]);
  });
});

describe('the content of a file', () => {
  const raw = (rawContent: string): SkillDefinition => ({ assets: { f: { rawContent } } });

  it.each(['', 'AA==', 'AAA=', 'AAAA', '+/+/', 'Zm9v'])('base64 %j is taken', (content) => {
    expect(broken(raw(content))).toEqual([]);
  });

  it.each(['A', 'AA', 'AA=', 'AAA', 'AAAA=', 'AA==AA==', 'A A=', 'AAAA\n', '-_-_', 'AB==', 'AAB=', '!!!!', 'data:,x'])(
    'base64 %j is refused',
    (content) => {
      expect(broken(raw(content))).toEqual([['f', 'content-base64']]);
    },
  );

  it('is any bytes in base64, and any text', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string({ unit: 'binary' }), (bytes, textContent) => {
        expect(
          broken({ assets: { a: { rawContent: Buffer.from(bytes).toString('base64') }, b: { textContent } } }),
        ).toEqual([]);
      }),
    );
  });

  it('as text is valid Unicode', () => {
    expect(broken({ assets: { f: text('a\ud800b') } })).toEqual([['f', 'content-unicode']]);
  });

  it('has a MiB at most, counted in bytes', () => {
    expect(broken({ assets: { f: text('x'.repeat(MIB)) } })).toEqual([]);
    expect(broken({ assets: { f: text('x'.repeat(MIB + 1)) } })).toEqual([['f', 'file-size']]);
    expect(broken({ assets: { f: text('é'.repeat(MIB / 2 + 1)) } })).toEqual([['f', 'file-size']]);
    expect(broken(raw(Buffer.alloc(MIB).toString('base64')))).toEqual([]);
    expect(broken(raw(Buffer.alloc(MIB + 1).toString('base64')))).toEqual([['f', 'file-size']]);
  });

  it('has 8 MiB at most with all others', () => {
    const full = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`f${i}`, text('x'.repeat(MIB))]));
    expect(broken({ assets: full })).toEqual([]);
    expect(broken({ assets: { ...full, more: text('x') } })).toEqual([['assets', 'total-size']]);
  });
});

describe('a definition', () => {
  it('has 200 files at most', () => {
    const paths = Array.from({ length: 201 }, (_, index) => `f${index}`);
    expect(broken(files(...paths.slice(1)))).toEqual([]);
    expect(broken(files(...paths))).toEqual([['assets', 'files-count']]);
  });

  it('has a description of 1024 characters at most, whatever their code points', () => {
    expect(broken({ description: '🌬'.repeat(1024) })).toEqual([]);
    expect(broken({ description: 'x'.repeat(1025) })).toEqual([['description', 'description-length']]);
  });

  it('has a body of a MiB at most', () => {
    expect(broken({ body: 'x'.repeat(MIB) })).toEqual([]);
    expect(broken({ body: 'x'.repeat(MIB + 1) })).toEqual([['body', 'body-size']]);
  });

  it('has no text that a database could not keep', () => {
    expect(broken({ description: 'a\0', body: '\udc00' })).toEqual([
      ['description', 'text-unicode'],
      ['body', 'text-unicode'],
    ]);
  });

  it('may be empty', () => {
    expect(broken({})).toEqual([]);
  });

  it('names every broken rule at once, each at its place', () => {
    const { error } = SkillDefinition.safeParse({
      description: 'x'.repeat(1025),
      assets: { '../a': text(), 'b\\c': { rawContent: '?' }, ok: text() },
    });
    expect(error?.issues.map(({ path, message }) => [path, message.split(':')[0]])).toEqual([
      [['assets', '../a'], 'path-parent'],
      [['assets', 'b\\c'], 'path-backslash'],
      [['description'], 'description-length'],
      [['assets', 'b\\c'], 'content-base64'],
    ]);
  });

  it('loses no file without a word, not even __proto__', () => {
    const { error } = SkillDefinition.safeParse(JSON.parse('{"assets":{"__proto__":{"textContent":"x"}}}'));
    expect(error?.issues).toMatchObject([
      { path: ['assets', '__proto__'], message: expect.stringMatching(/^path-reserved/) },
    ]);
  });

  it.each([
    [{ names: 'x' }],
    [{ assets: { a: {} } }],
    [{ assets: { a: { textContent: 'x', rawContent: 'eA==' } } }],
    [{ assets: { a: { textContent: 'x', mode: 1 } } }],
    [{ assets: { a: { textContent: 'x', isExecutable: 'yes' } } }],
    [{ assets: [] }],
    [{ body: null }],
  ])('of another shape is refused: %j', (definition) => {
    expect(SkillDefinition.safeParse(definition).success).toBe(false);
  });
});

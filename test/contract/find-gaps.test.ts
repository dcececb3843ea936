import { describe, expect, it } from 'vitest';
import { findGaps } from './find-gaps.ts';

const revoked = { id: 'KEYS-REVOKED', room: 'tenants', place: 'Authentication', promise: 'a revoked key is refused' };
const shown = { id: 'KEYS-SHOWN-ONCE', room: 'tenants', place: 'Authentication', promise: 'a key is shown once' };
const speech = { id: 'SPEECH-STREAM', room: 'speech', place: 'Speech', promise: 'speech streams' };

function gapsOf(text: string, changes: Partial<Parameters<typeof findGaps>[0]> = {}) {
  return findGaps({
    requirements: [revoked],
    rooms: ['tenants', 'speech'],
    builtRooms: ['tenants'],
    sources: [{ path: 'keys.test.ts', text }],
    ...changes,
  });
}

describe('what counts as a citation', () => {
  it.each([
    ['a title', `it('is refused [KEYS-REVOKED]', () => {});`],
    ['double quotes', `test("is refused [KEYS-REVOKED]", () => {});`],
    ['a template', `it(\`\${kind} is refused [KEYS-REVOKED]\`, () => {});`],
    ['a joined title', `it('is refused ' + '[KEYS-REVOKED]', () => {});`],
    ['a modifier', `it.concurrent('is refused [KEYS-REVOKED]', () => {});`],
    ['a table', `it.each([[1, (x: number) => x]])('%s is refused [KEYS-REVOKED]', () => {});`],
    ['a template table', `it.each\`a\n\${1}\`('is refused [KEYS-REVOKED]', () => {});`],
    ['a condition', `it.skipIf(process.platform === 'win32')('is refused [KEYS-REVOKED]', () => {});`],
    ['a test inside a suite', `describe('keys', () => { it('is refused [KEYS-REVOKED]', () => {}); });`],
  ])('%s cites', (_, text) => {
    expect(gapsOf(text)).toEqual({ uncited: [], unknownIds: [], duplicateIds: [], unknownRooms: [] });
  });

  it.each([
    ['a comment', `// it('is refused [KEYS-REVOKED]', () => {});`],
    ['a string', `const source = "it('is refused [KEYS-REVOKED]', () => {});";`],
    ['the body of a test', `it('is refused', () => { expect('[KEYS-REVOKED]').toBeTruthy(); });`],
    ['the title of a suite', `describe('refusal [KEYS-REVOKED]', () => {});`],
    ['a skipped test', `it.skip('is refused [KEYS-REVOKED]', () => {});`],
    ['a planned test', `it.todo('is refused [KEYS-REVOKED]');`],
    ['a test that must fail', `it.fails('is refused [KEYS-REVOKED]', () => {});`],
    ['a test in a skipped suite', `describe.skip('keys', () => { it('is refused [KEYS-REVOKED]', () => {}); });`],
    ['a test of the full run', `inFull.it('is refused [KEYS-REVOKED]', () => {});`],
    ['a test on the condition of the full run', `it.runIf(weights && isFull)('is refused [KEYS-REVOKED]', () => {});`],
    ['a table of the full run', `inFull.it.each([1])('is refused [KEYS-REVOKED]', () => {});`],
    [
      'a test in a suite of the full run',
      `inFull.describe('keys', () => { it('is refused [KEYS-REVOKED]', () => {}); });`,
    ],
    ['a call of another name', `audit('is refused [KEYS-REVOKED]');`],
  ])('%s does not cite', (_, text) => {
    expect(gapsOf(text).uncited).toEqual([revoked]);
  });

  it('one title cites several ids', () => {
    const text = `it('keys [KEYS-REVOKED] [KEYS-SHOWN-ONCE]', () => {});`;
    expect(gapsOf(text, { requirements: [revoked, shown] }).uncited).toEqual([]);
  });

  it('a word in brackets that is not shaped like an id is no citation', () => {
    expect(gapsOf(`it('ends with [DONE] [a-b]', () => {});`).unknownIds).toEqual([]);
  });
});

describe('planted violations are reported', () => {
  it('a promise of a built room that nothing cites', () => {
    const gaps = gapsOf(`it('is refused [KEYS-REVOKED]', () => {});`, { requirements: [revoked, shown] });
    expect(gaps.uncited).toEqual([shown]);
  });

  it('a promise of a room that is not built yet is not asked for', () => {
    const gaps = gapsOf('', { requirements: [speech] });
    expect(gaps.uncited).toEqual([]);
  });

  it('a citation of an unknown id', () => {
    const gaps = gapsOf(`it('is refused [KEYS-REVOKD]', () => {});`);
    expect(gaps.unknownIds).toEqual([{ id: 'KEYS-REVOKD', path: 'keys.test.ts' }]);
  });

  it('a test file that cannot be read, by its name', () => {
    expect(() => gapsOf(`it('is refused [KEYS-REVOKED]', () => {`)).toThrow('keys.test.ts');
  });

  it('an id that stands twice', () => {
    expect(gapsOf('', { requirements: [revoked, shown, revoked, revoked] }).duplicateIds).toEqual(['KEYS-REVOKED']);
  });

  it('an unknown room of a requirement or of the built rooms', () => {
    const gaps = gapsOf('', { requirements: [{ ...revoked, room: 'tennants' }], builtRooms: ['speach'] });
    expect(gaps.unknownRooms).toEqual(['speach', 'tennants']);
  });
});

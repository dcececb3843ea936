import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import { FrontMatterError, readFrontMatter, writeFrontMatter } from './front-matter.ts';

const awkward = fc.constantFrom(
  '---',
  '\n',
  '\r',
  '\n---\n',
  ' ',
  '\t',
  ': ',
  '# ',
  '"',
  "'",
  '|',
  '>',
  '- ',
  '&a',
  '*a',
  '\u2028',
  '\u0085',
  '\ufeff',
  'yes',
  '1',
  '~',
  '{',
  '%',
  '\\',
  '\u007f',
  '😀',
  'text',
);
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(awkward, { maxLength: 8 }).map((parts) => parts.join('')),
);

describe('front matter', () => {
  it('comes back exactly as it was written, whatever the fields and the body', () => {
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 3 }), text, (description, list, body) => {
        const given = { fields: { name: 'a', description, list }, body };
        const written = writeFrontMatter(given);
        expect(readFrontMatter(written)).toEqual(given);
        expect(writeFrontMatter(readFrontMatter(written))).toBe(written);
      }),
      { numRuns: rounds(60, 200) },
    );
  });

  it('is written for people where YAML allows it', () => {
    expect(
      writeFrontMatter({
        fields: { name: 'pdf', description: 'Fill in forms: all of them.\nAnd sign.' },
        body: '# PDF\n',
      }),
    ).toBe('---\nname: pdf\ndescription: |-\n  Fill in forms: all of them.\n  And sign.\n---\n\n# PDF\n');
    expect(writeFrontMatter({ fields: { aliases: ['a', 'b'] }, body: '' })).toBe('---\naliases:\n  - a\n  - b\n---\n');
  });

  it('is read as other programs write it', () => {
    expect(readFrontMatter('\ufeff---\r\nname: x\r\ndescription: yes\r\nversion: 1.10\r\n---\r\n\r\nBody\r\n')).toEqual(
      {
        fields: { name: 'x', description: 'yes', version: '1.10' },
        body: 'Body\r\n',
      },
    );
    expect(readFrontMatter('---\nname: x\n---')).toEqual({ fields: { name: 'x' }, body: '' });
    expect(readFrontMatter('---\n---\nBody')).toEqual({ fields: {}, body: 'Body' });
  });

  it.each([
    ['# Title', 'does not begin with front matter'],
    ['---\nname: x\n', 'is not closed'],
    ['---\nname: [x\n---\n', 'cannot be read'],
    ['---\n- a\n---\n', 'not a list of names'],
    ['---\na: &x [1]\nb: *x\n---\n', 'cannot be read'],
  ])('%j is refused with the reason', (given, reason) => {
    expect(() => readFrontMatter(given)).toThrow(FrontMatterError);
    expect(() => readFrontMatter(given)).toThrow(reason);
  });
});

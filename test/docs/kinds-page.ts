import { KINDS } from '../support/kinds.ts';

const START = '<!-- kinds: made by npm run docs -->';
const END = '<!-- /kinds -->';

/** test/README.md with its tables regenerated from the kinds of tests. */
export function withKinds(page: string): string {
  const [before = '', rest = ''] = page.split(START);
  const [, after = ''] = rest.split(END);
  return `${before}${START}\n\n${renderKinds()}\n\n${END}${after}`;
}

function renderKinds(): string {
  const proofs = KINDS.map(({ name, short, full }) => `| ${name} | ${short} | ${full} |`);
  const places = KINDS.map(({ name, files = [], titles }) => {
    const words = titles ? `titles with \`${titles.source.replaceAll('|', '\\|')}\`` : '';
    return `| ${name} | ${[...files.map((file) => `\`${file}\``), words].filter(Boolean).join(', ') || 'all others'} |`;
  });
  return [
    '| Kind | `npm test` proves | Only `npm run test:full` proves |',
    '| --- | --- | --- |',
    ...proofs,
    '',
    'A test is of the first kind that has its file or a word of its title:',
    '',
    '| Kind | Tests |',
    '| --- | --- |',
    ...places,
  ].join('\n');
}

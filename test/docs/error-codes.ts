import { errorTables } from '../../src/app.ts';
import { renderErrorRows } from '../../src/kit/http/index.ts';

const START = '<!-- codes: made by npm run docs -->';
const END = '<!-- /codes -->';

/** docs/errors.md with its list of codes regenerated from the rooms' tables. */
export function withErrorCodes(page: string): string {
  const [before = '', rest = ''] = page.split(START);
  const [, after = ''] = rest.split(END);
  return `${before}${START}\n${renderCodes()}\n${END}${after}`;
}

function renderCodes(): string {
  return Object.entries(errorTables)
    .map(
      ([room, table]) =>
        `\n### ${room}\n\n| Code | Status | When | What to do |\n| --- | --- | --- | --- |\n${renderErrorRows(table)}\n`,
    )
    .join('');
}

import { openApi } from '../shell/api-client.ts';
import type { Context } from '../shell/command.ts';
import { parseCount } from '../shell/parse-values.ts';
import { getLibrary } from './find-library.ts';
import { placeOf, printable, searchLibrary } from './passages.ts';

const TOP_MAX = 50;

export async function search(context: Context): Promise<undefined> {
  const { args, output } = context;
  const top_k = parseCount('--top', args.text('top') ?? '5', TOP_MAX);
  const api = openApi(context);
  const library = await getLibrary(api, args.parameter('library'));
  const passages = await searchLibrary(api, library.id, {
    query: args.parameter('query'),
    top_k,
    mode: args.text('mode') ?? 'hybrid',
  });
  const shown = passages.map((passage, i) => {
    const place = output.styled('bold', `${i + 1}. ${placeOf(passage)}`);
    const score = output.styled('dim', `(${passage.score.toFixed(4)})`);
    return `${place} ${score}\n${indent(printable(passage.text.trim()))}`;
  });
  output.result(passages, shown.join('\n\n') || `Nothing was found in '${library.name}'.`);
}

const indent = (text: string) =>
  text
    .split('\n')
    .map((line) => `   ${line}`.trimEnd())
    .join('\n');

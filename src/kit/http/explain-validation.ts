import type { ValidationItem } from './errors.ts';

const PLACES: Record<string, string> = {
  body: 'field',
  query: 'query parameter',
  path: 'path parameter',
  header: 'header',
};

/** A list of mistakes in the words of every other error: a sentence about the first one, its field and its kind. `list`: where all are. */
export function explainValidation(items: readonly ValidationItem[], list = 'detail') {
  const [first] = items;
  const [place = 'body', ...names] = first?.loc ?? [];
  // Mistakes in the syntax have a position in the text instead of a field.
  const param = names.length === 0 || first?.type === 'json_invalid' ? null : names.join('.');
  const subject = param === null ? `The ${place} of the request` : `The ${PLACES[place] ?? 'field'} '${param}'`;
  const problem = (first?.msg ?? 'The request is not valid').replace(/\.$/, '');
  const others = items.length - 1;
  const more = others > 0 ? ` \`${list}\` lists ${others} more.` : '';
  return {
    object: 'error',
    message: `${subject} is not valid: ${problem}.${more}`,
    type: 'invalid_request_error',
    param,
    code: first?.type ?? null,
  };
}

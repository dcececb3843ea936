/** A piece of code and what it is; plain pieces have no kind. */
export type Piece = { text: string; kind?: 'comment' | 'string' | 'number' | 'keyword' | 'name' };

const KEYWORDS = new Set(
  (
    'abstract and as async await break case catch class const continue def default del do elif else enum except export ' +
    'extends false False finally fn for foreach from func function global go if impl implements import in interface is ' +
    'lambda let match mod mut new nil None not null of or package pass private protected pub public raise return self ' +
    'select static struct super switch this throw throws trait true True try type undefined use using val var void ' +
    'where while with yield SELECT FROM WHERE INSERT INTO VALUES UPDATE SET DELETE CREATE TABLE JOIN LEFT ON GROUP BY ' +
    'ORDER LIMIT AND OR NOT NULL AS'
  ).split(' '),
);

/** Languages in which # begins a comment; in the others it means something else. */
const HASH = new Set([
  'py',
  'python',
  'sh',
  'bash',
  'shell',
  'zsh',
  'yaml',
  'yml',
  'toml',
  'ruby',
  'rb',
  'r',
  'dockerfile',
]);
const PLAIN = new Set(['', 'text', 'txt', 'plain', 'plaintext', 'output']);
/** Longer code is shown plain, so that a reply never blocks the page. */
const CHARACTERS_MAX = 100_000;

const STRING = String.raw`"""[\s\S]*?(?:"""|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|${'`'}(?:\\.|[^${'`'}\\])*${'`'}?`;
const NUMBER = String.raw`\b\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?\b`;
const WORD = String.raw`[A-Za-z_$][\w$]*`;

/** Colours for what most languages share: comments, strings, numbers, keywords and names of calls. */
export function highlight(code: string, language: string): Piece[] {
  const name = language.toLowerCase();
  if (PLAIN.has(name) || code.length > CHARACTERS_MAX) return [{ text: code }];
  const isSql = name === 'sql';
  const comment = [
    String.raw`\/\*[\s\S]*?(?:\*\/|$)`,
    isSql ? '--[^\\n]*' : String.raw`(?<![:\w])\/\/[^\n]*`,
    ...(HASH.has(name) ? [String.raw`#[^\n]*`] : []),
    ...(name === 'html' || name === 'xml' ? [String.raw`<!--[\s\S]*?(?:-->|$)`] : []),
  ].join('|');
  const pattern = new RegExp(`(${comment})|(${STRING})|(${NUMBER})|(${WORD})`, 'g');
  const pieces: Piece[] = [];
  let last = 0;
  for (const found of code.matchAll(pattern)) {
    const [text, isComment, isString, isNumber] = found;
    const kind = isComment
      ? 'comment'
      : isString
        ? 'string'
        : isNumber
          ? 'number'
          : kindOf(text, code[found.index + text.length]);
    if (kind === undefined) continue;
    if (found.index > last) pieces.push({ text: code.slice(last, found.index) });
    pieces.push({ text, kind });
    last = found.index + text.length;
  }
  if (last < code.length) pieces.push({ text: code.slice(last) });
  return pieces;
}

function kindOf(word: string, next: string | undefined): Piece['kind'] {
  if (KEYWORDS.has(word)) return 'keyword';
  return next === '(' ? 'name' : undefined;
}

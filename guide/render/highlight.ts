/** A piece of code; without a kind it is plain. */
export type Token = { kind?: 'comment' | 'string' | 'number' | 'word' | 'name'; text: string };
type Rule = [kind: NonNullable<Token['kind']>, pattern: RegExp];

const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/y;
const NUMBER = /\b\d[\d_.]*\b/y;
const HASH = /(?<=^|\s)#.*/my;
const words = (list: string) => new RegExp(`\\b(?:${list.replaceAll(' ', '|')})\\b`, 'y');
const CODE_WORDS =
  'import from export const let function return await async new if else for of in while class type throw try catch default true false null undefined';
const PYTHON_WORDS =
  'import from as def return await async if else elif for in while with class raise try except True False None not and or';

const typescript: Rule[] = [
  ['comment', /\/\/.*|\/\*[\s\S]*?\*\//y],
  ['string', STRING],
  ['string', /`(?:[^`\\]|\\.)*`/y],
  ['word', words(CODE_WORDS)],
  ['number', NUMBER],
  ['name', /[A-Za-z_$][\w$]*(?=\()/y],
];
const shell: Rule[] = [
  ['comment', HASH],
  ['string', /"(?:[^"\\]|\\.)*"|'[^']*'/y],
  ['name', /(?<=^|&& |\| )(?:[A-Z_]+=\S+ )*[a-z][\w./-]*/my],
  ['word', /\$\{?\w+\}?|\b[A-Z][A-Z_]+(?==)/y],
  ['number', /(?<=\s)--?[\w-]+/y],
];
const yaml: Rule[] = [
  ['comment', HASH],
  ['name', /(?<=^\s*(?:- )?)[\w./-]+(?=:(?:\s|$))/my],
  ['string', STRING],
  ['word', /(?<=: )(?:true|false|null)\b/y],
  ['number', /(?<=[:[,] )\d[\d._]*(?=\s|,|\]|$)/my],
];
const json: Rule[] = [
  ['name', /"(?:[^"\\\n]|\\.)*"(?=\s*:)/y],
  ['string', STRING],
  ['word', /\b(?:true|false|null)\b/y],
  ['number', NUMBER],
];
const python: Rule[] = [
  ['comment', /#.*/y],
  ['string', /"""[\s\S]*?"""/y],
  ['string', STRING],
  ['word', words(PYTHON_WORDS)],
  ['number', NUMBER],
  ['name', /[A-Za-z_]\w*(?=\()/y],
];
const http: Rule[] = [
  ['word', /^(?:GET|POST|PUT|PATCH|DELETE|HTTP\/[\d.]+)\b/my],
  ['name', /^[\w-]+(?=:)/my],
];
const settings: Rule[] = [
  ['comment', HASH],
  ['string', STRING],
  ['name', /^\s*[\w.-]+(?=\s*[={ ])/my],
];

const LANGUAGES: Record<string, Rule[]> = {
  ts: typescript,
  js: typescript,
  sh: shell,
  yaml,
  json,
  python,
  http,
  ini: settings,
  nginx: settings,
  caddyfile: settings,
};

/** Splits code into coloured pieces; their texts joined are the code. */
export function highlight(code: string, language: string): Token[] {
  const rules = LANGUAGES[language];
  if (!rules) return [{ text: code }];
  const tokens: Token[] = [];
  let plain = '';
  let at = 0;
  while (at < code.length) {
    const found = match(rules, code, at);
    if (!found) {
      plain += code[at++];
      continue;
    }
    if (plain) tokens.push({ text: plain });
    plain = '';
    tokens.push(found);
    at += found.text.length;
  }
  return plain ? [...tokens, { text: plain }] : tokens;
}

function match(rules: Rule[], code: string, at: number): Token | undefined {
  // A word is only taken whole.
  const isInside = /\w/.test(code[at - 1] ?? '') && /\w/.test(code[at] ?? '');
  if (isInside) return undefined;
  for (const [kind, pattern] of rules) {
    pattern.lastIndex = at;
    const text = pattern.exec(code)?.[0];
    if (text) return { kind, text };
  }
  return undefined;
}

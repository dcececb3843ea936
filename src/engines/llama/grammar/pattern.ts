import { either, escaped, literal, repeat } from './rules.ts';

const CLASSES: Record<string, string> = { d: '0-9', w: 'a-zA-Z0-9_', s: ' ' };
const ANY = '[^"\\\\\\x00-\\x1F\\x7F]';

/**
 * A regular expression as GBNF for the inside of a JSON string, or undefined where it uses more than groups,
 * alternatives, classes and repetitions. It matches the whole string even if the pattern is not anchored, and leaves out
 * characters that JSON writes as escapes inside classes: fewer strings, all of them valid.
 */
export function patternToGrammar(pattern: string): string | undefined {
  const reader = { text: [...pattern], at: 0 };
  const body = readAlternatives(reader);
  return body !== undefined && reader.at === reader.text.length ? body : undefined;
}

type Reader = { text: string[]; at: number };

function readAlternatives(reader: Reader): string | undefined {
  const branches: string[] = [];
  do {
    const branch = readSequence(reader);
    if (branch === undefined) return undefined;
    branches.push(branch);
  } while (take(reader, '|'));
  return either(branches);
}

function readSequence(reader: Reader): string | undefined {
  const items: string[] = [];
  take(reader, '^');
  while (reader.at < reader.text.length && !/[|)]/.test(reader.text[reader.at] ?? '')) {
    if (reader.text[reader.at] === '$') {
      reader.at++;
      if (reader.at < reader.text.length && !/[|)]/.test(reader.text[reader.at] ?? '')) return undefined;
      break;
    }
    const atom = readAtom(reader);
    const item = atom === undefined ? undefined : readRepetition(reader, atom);
    if (item === undefined) return undefined;
    items.push(item);
  }
  return items.length > 0 ? items.join(' ') : '""';
}

function readAtom(reader: Reader): string | undefined {
  const character = reader.text[reader.at++];
  switch (character) {
    case undefined:
    case '*':
    case '+':
    case '?':
    case '^':
      return undefined;
    case '.':
      return ANY;
    case '[':
      return readClass(reader);
    case '(': {
      if (take(reader, '?') && !take(reader, ':')) return undefined;
      const body = readAlternatives(reader);
      return body !== undefined && take(reader, ')') ? `(${body})` : undefined;
    }
    case '\\':
      return readEscape(reader.text[reader.at++]);
    default:
      return quoted(character);
  }
}

function readEscape(character: string | undefined): string | undefined {
  if (character === undefined) return undefined;
  const known = CLASSES[character];
  if (known !== undefined) return `[${known}]`;
  return /[a-zA-Z0-9]/.test(character) ? undefined : quoted(character);
}

function readClass(reader: Reader): string | undefined {
  const negated = take(reader, '^');
  let body = '';
  for (;;) {
    const character = reader.text[reader.at++];
    if (character === undefined) return undefined;
    if (character === ']') break;
    const next = character === '\\' ? reader.text[reader.at++] : character;
    if (next === undefined) return undefined;
    if (character === '\\' && CLASSES[next] !== undefined) body += CLASSES[next];
    else if (character === '\\' && /[a-zA-Z0-9]/.test(next)) return undefined;
    else if (character === '-' && body !== '' && reader.text[reader.at] !== ']') body += '-';
    else if (next === '"' || next === '\\') {
      if (reader.text[reader.at] === '-') return undefined;
    } else body += escaped(next);
  }
  if (negated) return `[^"\\\\\\x00-\\x1F\\x7F${body}]`;
  return body === '' || body.endsWith('-') ? undefined : `[${body}]`;
}

function readRepetition(reader: Reader, atom: string): string | undefined {
  const character = reader.text[reader.at];
  if (character === '*' || character === '+' || character === '?') {
    reader.at++;
    take(reader, '?');
    return atom + character;
  }
  if (character !== '{') return atom;
  const end = reader.text.indexOf('}', reader.at);
  const bounds = /^(\d+)(,(\d*))?$/.exec(reader.text.slice(reader.at + 1, end).join(''));
  if (end < 0 || !bounds) return undefined;
  reader.at = end + 1;
  take(reader, '?');
  const min = Number(bounds[1]);
  const max = bounds[2] === undefined ? min : bounds[3] ? Number(bounds[3]) : undefined;
  return min > 500 ? undefined : repeat(atom, min, max);
}

function quoted(character: string): string | undefined {
  return (character.codePointAt(0) ?? 0) < 0x20 ? undefined : literal(JSON.stringify(character).slice(1, -1));
}

function take(reader: Reader, character: string): boolean {
  if (reader.text[reader.at] !== character) return false;
  reader.at++;
  return true;
}

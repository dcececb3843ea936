import { ownTurn } from '../base/own-turn.ts';
import type { Caller } from '../base/turn-lines.ts';
import { cutJson, type LargeContainer } from './cut-json.ts';
import { beyondLimit, countKeys, DEFAULT_JSON_LIMITS, invalid, parseJson, refuseDuplicate } from './json-body.ts';
import { endOfString, type JsonLimits } from './scan-json.ts';

/** Parsed in one go: a millisecond or two. */
export const PIECE_BYTES = 256 * 1024;
/** A mistake in a longer document is not looked for: only that there is one is said. */
const EXPLAINED_BYTES_MAX = 2 * 1024 * 1024;
const OPEN_BRACKET = 91;
const QUOTE = 34;
const COLON = /^[ \t\n\r]*:[ \t\n\r]*$/;
const BLANK = /^[ \t\n\r]*$/;

/** UTF-8's byte order mark: ignored at the start, a mistake in the middle of a document. */
const MARK = [0xef, 0xbb, 0xbf];
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What `parseJson` does, in many short steps: other requests are served in between. */
export async function parseLargeJson(
  given: Uint8Array,
  limits: JsonLimits = DEFAULT_JSON_LIMITS,
  { pieceBytes = PIECE_BYTES, caller }: { pieceBytes?: number; caller?: Caller } = {},
): Promise<unknown> {
  await ownTurn(caller);
  const bytes = startsWithMark(given) ? given.subarray(MARK.length) : given;
  const cutting = cutJson(bytes, limits, pieceBytes);
  let cut = cutting.next();
  for (; !cut.done; cut = cutting.next()) await ownTurn(caller);
  if ('limit' in cut.value) throw beyondLimit(bytes, cut.value, limits);
  const { root, isWhole, keys } = cut.value;
  if (!root || !isWhole) return explain(given, limits);
  let counted = 0;
  try {
    const value = await build(root);
    if (counted === keys) return value;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return explain(given, limits);
    throw error;
  }
  if (bytes.length <= EXPLAINED_BYTES_MAX) refuseDuplicate(utf8.decode(bytes));
  throw invalid('JSON decode error', 0, 'An object has a key twice');

  async function build(container: LargeContainer): Promise<unknown> {
    const isList = bytes[container.start] === OPEN_BRACKET;
    if (bytes[container.end] !== (bytes[container.start] as number) + 2) throw new SyntaxError('A wrong bracket');
    const list: unknown[] = [];
    const record: Record<string, unknown> = {};
    const inner = container.inner.values();
    let next = inner.next().value;
    let start = container.start + 1;
    for (const end of [...container.cuts, container.end]) {
      if (next && next.start < end) {
        const key = isList ? undefined : readKey(start, next.start);
        const after = utf8.decode(bytes.subarray(next.end + 1, end));
        if (isList && !BLANK.test(utf8.decode(bytes.subarray(start, next.start)))) throw new SyntaxError('No comma');
        if (!BLANK.test(after)) throw new SyntaxError('No comma');
        const value = await build(next);
        if (key === undefined) list.push(value);
        else if (add(record, key, value)) counted++;
        next = inner.next().value;
      } else {
        await ownTurn(caller);
        addPiece(utf8.decode(bytes.subarray(start, end)), container.cuts.length > 0);
      }
      start = end + 1;
    }
    return isList ? list : record;

    function addPiece(text: string, isFilled: boolean): void {
      const piece = JSON.parse(isList ? `[${text}]` : `{${text}}`) as Record<string, unknown>;
      counted += countKeys(piece);
      const names = isList ? [] : Object.keys(piece);
      if (isFilled && (isList ? piece.length === 0 : names.length === 0)) throw new SyntaxError('A comma too many');
      if (isList) for (const item of piece as unknown as unknown[]) list.push(item);
      else for (const name of names) if (!add(record, name, piece[name])) counted--;
    }
  }

  function readKey(start: number, end: number): string {
    const open = bytes.indexOf(QUOTE, start);
    const close = endOfString(bytes, open);
    const isBare = BLANK.test(utf8.decode(bytes.subarray(start, open)));
    if (!isBare || close >= end || !COLON.test(utf8.decode(bytes.subarray(close + 1, end))))
      throw new SyntaxError('No key');
    return JSON.parse(utf8.decode(bytes.subarray(open, close + 1))) as string;
  }
}

/** False if the key is there already. `__proto__` is an ordinary key. */
function add(record: Record<string, unknown>, name: string, value: unknown): boolean {
  const isNew = !Object.hasOwn(record, name);
  if (name !== '__proto__') record[name] = value;
  else Object.defineProperty(record, name, { value, writable: true, enumerable: true, configurable: true });
  return isNew;
}

function startsWithMark(bytes: Uint8Array): boolean {
  return MARK.every((byte, at) => bytes[at] === byte);
}

function explain(bytes: Uint8Array, limits: JsonLimits): unknown {
  if (bytes.length <= EXPLAINED_BYTES_MAX) return parseJson(bytes, limits);
  throw invalid('JSON decode error', 0, 'The document is not valid JSON');
}

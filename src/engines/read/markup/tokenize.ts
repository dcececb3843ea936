import { decodeEntities } from './decode-entities.ts';

export type Attributes = ReadonlyMap<string, string>;

export type MarkupHandler = {
  /** `name` is in lower case in HTML, and as it is written in XML. */
  open(name: string, attributes: Attributes, isEmpty: boolean): void;
  close(name: string): void;
  text(text: string): void;
};

const ATTRIBUTE = /([^\s=/>"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;
const NAME = /^[^\s/>]+/;
/** A tag that is longer is no tag. */
const TAG_CHARACTERS_MAX = 64 * 1024;
/** Elements of HTML whose content is no markup. */
const RAW = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes']);
const NO_ATTRIBUTES: Attributes = new Map();

/** Reads markup in one pass without a tree. Nothing is fetched, and no entity is expanded but characters. */
export function tokenize(source: string, dialect: 'html' | 'xml', handler: MarkupHandler): void {
  const isHtml = dialect === 'html';
  let at = 0;
  while (at < source.length) {
    const found = source.indexOf('<', at);
    const start = found < 0 ? source.length : found;
    emit(source.slice(at, start));
    at = found < 0 ? start : readTag(start);
  }

  function emit(text: string): void {
    if (text !== '') handler.text(decodeEntities(text));
  }

  function readTag(start: number): number {
    if (source.startsWith('<!--', start)) return skipTo('-->', start + 4);
    if (source.startsWith('<![CDATA[', start)) {
      const end = source.indexOf(']]>', start);
      handler.text(source.slice(start + 9, end < 0 ? source.length : end));
      return end < 0 ? source.length : end + 3;
    }
    const next = source[start + 1] ?? '';
    if (next === '!' || next === '?') return skipTo('>', start + 2);
    if (!/[A-Za-z/_:]/.test(next)) {
      handler.text('<');
      return start + 1;
    }
    return readElement(start);
  }

  function skipTo(mark: string, from: number): number {
    const end = source.indexOf(mark, from);
    return end < 0 ? source.length : end + mark.length;
  }

  function readElement(start: number): number {
    const end = findEnd(start + 1);
    if (end < 0) {
      // As a whole, so that a file full of such beginnings is still read in one pass.
      const last = Math.min(source.length, start + 1 + TAG_CHARACTERS_MAX);
      emit(source.slice(start, last));
      return last;
    }
    const inner = source.slice(start + 1, end);
    if (inner.startsWith('/')) {
      handler.close(nameOf(inner.slice(1)));
      return end + 1;
    }
    const name = nameOf(inner);
    const isEmpty = inner.endsWith('/');
    handler.open(name, attributesOf(inner.slice(name.length)), isEmpty);
    return isHtml && RAW.has(name) && !isEmpty ? readRaw(name, end + 1) : end + 1;
  }

  /** Up to its own closing tag, whatever is between. */
  function readRaw(name: string, from: number): number {
    const closing = /<\/([a-z]{1,10})[\s/>]/gi;
    closing.lastIndex = from;
    let tag = closing.exec(source);
    while (tag && tag[1]?.toLowerCase() !== name) tag = closing.exec(source);
    const found = tag?.index ?? source.length;
    emit(source.slice(from, found));
    handler.close(name);
    return skipTo('>', found);
  }

  /** The end of a tag; a `>` inside quotes is none. */
  function findEnd(from: number): number {
    let quote = '';
    const last = Math.min(source.length, from + TAG_CHARACTERS_MAX);
    for (let i = from; i < last; i++) {
      const character = source[i];
      if (quote) quote = character === quote ? '' : quote;
      else if (character === '>') return i;
      else if ((character === '"' || character === "'") && /=\s*$/.test(source.slice(Math.max(from, i - 8), i)))
        quote = character;
    }
    return -1;
  }

  function nameOf(tag: string): string {
    const name = NAME.exec(tag)?.[0] ?? '';
    return isHtml ? name.toLowerCase() : name;
  }

  function attributesOf(text: string): Attributes {
    if (text.length === 0 || text === '/') return NO_ATTRIBUTES;
    const attributes = new Map<string, string>();
    for (const [, name = '', double, single, bare] of text.matchAll(ATTRIBUTE)) {
      const key = isHtml ? name.toLowerCase() : name;
      if (!attributes.has(key)) attributes.set(key, decodeEntities(double ?? single ?? bare ?? ''));
    }
    return attributes;
  }
}

import { sniffType } from '../ocr/sniff-type.ts';
import { sniffAudio } from '../transcribe/decode/sniff-audio.ts';

/** `pages` and `audio` are read by other engines; `zip` is an archive, a book or a file of an office program. */
export type DocumentFormat =
  | 'pages'
  | 'audio'
  | 'zip'
  | 'html'
  | 'markdown'
  | 'csv'
  | 'mail'
  | 'code'
  | 'text'
  | 'none';

const CODE = new Set(
  (
    'c h cc cpp cxx hpp cs java kt kts scala go rs swift m mm py pyi rb php pl lua r jl js mjs cjs jsx ts tsx vue svelte ' +
    'sh bash zsh fish ps1 bat sql css scss less json jsonl yaml yml toml ini cfg conf xml xsd xsl proto graphql tf hcl ' +
    'dockerfile makefile cmake gradle groovy dart elm ex exs erl hs clj lisp el ml fs f90 asm s vb pas diff patch'
  ).split(' '),
);
const BY_EXTENSION: Readonly<Record<string, DocumentFormat>> = {
  ...{ html: 'html', htm: 'html', xhtml: 'html', md: 'markdown', markdown: 'markdown', mdx: 'markdown' },
  ...{ csv: 'csv', tsv: 'csv', eml: 'mail', txt: 'text', text: 'text', log: 'text', rst: 'text', tex: 'text' },
};
const BY_TYPE: Readonly<Record<string, DocumentFormat>> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/markdown': 'markdown',
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
  'message/rfc822': 'mail',
};
/** Old office files, RTF, and archives that are not unpacked here, by their first bytes. */
const OTHERS = ['\xd0\xcf\x11\xe0', '{\\rtf', '\x1f\x8b', '7z\xbc\xaf', 'Rar!', 'BZh', '\xfd7zXZ', '\x7fELF', 'MZ'];
const HTML_START = /^\s*(<\?xml[^>]*>\s*)?(<!--[^>]*-->\s*)*<(!doctype html|html)/i;

/** By content where it has a mark, else by its name and its declared type. */
export function detectFormat(head: Uint8Array, filename: string, mimetype: string | null): DocumentFormat {
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 1024)).toString('latin1');
  if (start.startsWith('PK\x03\x04') || start.startsWith('PK\x05\x06')) return 'zip';
  const extension = extensionOf(filename);
  const named = BY_EXTENSION[extension] ?? (CODE.has(extension) ? 'code' : undefined);
  // Text in UTF-16 begins like some recordings.
  const isWide = start.startsWith('\xff\xfe') || start.startsWith('\xfe\xff');
  const isBinary = !isWide && (head.includes(0) || !named);
  if (isBinary && sniffType(head)) return 'pages';
  if (isBinary && sniffAudio(head)) return 'audio';
  if (OTHERS.some((mark) => start.startsWith(mark))) return 'none';
  return named ?? BY_TYPE[mimetype ?? ''] ?? (HTML_START.test(start) ? 'html' : 'text');
}

export function extensionOf(filename: string): string {
  const name = filename.toLowerCase().split(/[/\\]/).at(-1) ?? '';
  const dot = name.lastIndexOf('.');
  return dot < 0 ? name : name.slice(dot + 1);
}

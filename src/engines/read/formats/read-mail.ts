import { Refusal } from '../../process/protocol.ts';
import type { BlockCollector } from '../collect-blocks.ts';
import { decodeText } from '../decode-text.ts';
import type { DocumentEntry } from '../read-engine.ts';
import { readHtml } from './read-html.ts';
import { readText } from './read-text.ts';

const DEPTH_MAX = 10;
const HEADERS_SHOWN = ['from', 'to', 'cc', 'date', 'subject'];

type Part = { headers: Map<string, string>; body: string };
type Content = { text: string | undefined; html: string | undefined };

/** Who wrote to whom and when, and the text; attachments are documents of their own. */
export function readMail(bytes: Uint8Array, to: BlockCollector, entriesMax: number): DocumentEntry[] {
  const mail = parsePart(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'));
  if (mail.headers.size === 0) throw new Refusal('document_damaged', 'The mail has no header.');
  const entries: DocumentEntry[] = [];
  const content: Content = { text: undefined, html: undefined };
  collect(mail, 0);
  const shown = HEADERS_SHOWN.flatMap((name) => {
    const value = decodeWords(mail.headers.get(name) ?? '');
    return value ? [`${name[0]?.toUpperCase()}${name.slice(1)}: ${value}`] : [];
  });
  to.title = decodeWords(mail.headers.get('subject') ?? '') || null;
  if (to.title) to.add('heading', to.title, 1);
  to.add('text', shown.join('\n'));
  const { title } = to;
  if (content.text?.trim()) readText(content.text, to);
  else if (content.html) readHtml(content.html, to);
  to.title = title;
  if (entries.length > 0) to.add('text', `Attachments: ${entries.map(({ name }) => name).join(', ')}`);
  return entries;

  function collect({ headers, body }: Part, depth: number): void {
    const [type = '', parameters] = parseHeader(headers.get('content-type') ?? 'text/plain');
    if (type.startsWith('multipart/') && depth < DEPTH_MAX) {
      const boundary = parameters.get('boundary');
      if (boundary) for (const part of splitParts(body, boundary, entriesMax)) collect(parsePart(part), depth + 1);
      return;
    }
    const [disposition = '', named] = parseHeader(headers.get('content-disposition') ?? '');
    const name = decodeWords(named.get('filename') ?? parameters.get('name') ?? '');
    const isText = type === 'text/plain' || type === 'text/html' || type === '';
    const decoded = decodeBody(body, headers.get('content-transfer-encoding') ?? '');
    if (isText && disposition !== 'attachment') {
      const key = type === 'text/html' ? 'html' : 'text';
      content[key] = `${content[key] ?? ''}${decodeText(decoded, parameters.get('charset'))}\n\n`;
    } else if (decoded.length > 0 && (disposition === 'attachment' || name)) {
      if (entries.length >= entriesMax)
        throw new Refusal('archive_too_large', `The mail has more than ${entriesMax} attachments.`);
      entries.push({ name: name || `attachment-${entries.length + 1}`, content: decoded });
    }
  }
}

function parsePart(source: string): Part {
  const gap = /\r?\n\r?\n/.exec(source);
  const head = gap ? source.slice(0, gap.index) : source;
  const headers = new Map<string, string>();
  for (const line of head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    if (/^[a-z0-9-]+$/.test(name) && !headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  return { headers, body: gap ? source.slice(gap.index + gap[0].length) : '' };
}

function parseHeader(value: string): [string, Map<string, string>] {
  const [first = '', ...rest] = value.split(';');
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const equals = part.indexOf('=');
    const name = part.slice(0, Math.max(0, equals)).trim().toLowerCase();
    const raw = part
      .slice(equals + 1)
      .trim()
      .replace(/^"|"$/g, '');
    const extended = /^[\w-]*'[\w-]*'(.*)$/.exec(raw);
    if (name.endsWith('*') && extended) parameters.set(name.slice(0, -1), percentDecode(extended[1] ?? ''));
    else if (!parameters.has(name)) parameters.set(name, raw);
  }
  return [first.trim().toLowerCase(), parameters];
}

function splitParts(body: string, boundary: string, partsMax: number): string[] {
  const parts = `\n${body}`.split(`\n--${boundary}`).slice(1);
  if (parts.length > partsMax + 10) throw new Refusal('archive_too_large', `The mail has ${parts.length} parts.`);
  return parts.filter((part) => !part.startsWith('--')).map((part) => part.replace(/^[^\n]*\n/, ''));
}

function decodeBody(body: string, encoding: string): Buffer {
  if (/base64/i.test(encoding)) return Buffer.from(body, 'base64');
  if (!/quoted-printable/i.test(encoding)) return Buffer.from(body.replace(/\r?\n$/, ''), 'latin1');
  return Buffer.from(fromQuotedPrintable(body.replace(/=[ \t]*\r?\n/g, '')), 'latin1');
}

function fromQuotedPrintable(text: string): string {
  return text.replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function percentDecode(text: string): string {
  const bytes = Buffer.from(
    text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
  return bytes.toString('utf8');
}

/** `=?utf-8?Q?Gr=C3=BC=C3=9Fe?=` in headers; headers without it may be UTF-8 as they are. */
function decodeWords(value: string): string {
  const decoded = value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?([\w-]{1,40})\?([bq])\?([^?]*)\?=/gi, (_, charset: string, kind: string, text: string) => {
      const bytes =
        kind.toLowerCase() === 'b'
          ? Buffer.from(text, 'base64')
          : Buffer.from(fromQuotedPrintable(text.replaceAll('_', ' ')), 'latin1');
      return Buffer.from(decodeText(bytes.includes(0) ? Buffer.alloc(0) : bytes, charset), 'utf8').toString('latin1');
    });
  return decodeText(Buffer.from(decoded.replaceAll('\0', ''), 'latin1')).trim();
}

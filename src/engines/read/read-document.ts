import { Refusal } from '../process/protocol.ts';
import { type BlockCollector, createBlockCollector } from './collect-blocks.ts';
import { decodeText } from './decode-text.ts';
import { detectFormat } from './detect-format.ts';
import { readDocx } from './formats/read-docx.ts';
import { readEpub } from './formats/read-epub.ts';
import { readHtml } from './formats/read-html.ts';
import { readMail } from './formats/read-mail.ts';
import { readMarkdown } from './formats/read-markdown.ts';
import { readPptx } from './formats/read-pptx.ts';
import { readCode, readCsv, readText } from './formats/read-text.ts';
import { readXlsx } from './formats/read-xlsx.ts';
import { openZip, type Zip } from './open-zip.ts';
import type { ReadSettings, ReadTask } from './protocol.ts';
import type { Block, DocumentEntry } from './read-engine.ts';

export type ReadBlocks = {
  blocks: Block[];
  title: string | null;
  language: string | null;
  isContainer: boolean;
};

type TakeEntry = (entry: DocumentEntry) => void | Promise<void>;

/** Files that file managers and version control leave behind. */
const LITTER = /(^|\/)(__MACOSX\/|\.|Thumbs\.db$|desktop\.ini$|~\$)/i;
const MACROS = /(^|\/)(vbaProject\.bin|macrosheets\/)/i;
const OLD_OFFICE = /\.(doc|xls|ppt|rtf)$/i;

/** The blocks of a document, by its format. Entries of archives and mails go to `takeEntry`. */
export async function readDocument(
  source: ReadTask['source'],
  settings: ReadSettings,
  takeEntry: TakeEntry,
): Promise<ReadBlocks> {
  if (!('bytes' in source)) return readPages(source, settings);
  const { bytes, filename, mimetype } = source;
  if (bytes.length === 0) throw new Refusal('document_empty', 'The file is empty.');
  const to = createBlockCollector(settings.textCharactersMax);
  const format = detectFormat(bytes.subarray(0, 4096), filename, mimetype);
  let isContainer = false;
  switch (format) {
    case 'zip':
      isContainer = await readZip(bytes, to, settings, takeEntry);
      break;
    case 'html':
      readHtml(decodeHtml(bytes), to);
      break;
    case 'markdown':
      readMarkdown(decodeText(bytes), to);
      break;
    case 'csv':
      readCsv(decodeText(bytes), to);
      break;
    case 'mail':
      for (const entry of readMail(bytes, to, settings.entriesMax)) await takeEntry(entry);
      break;
    case 'code':
      readCode(decodeText(bytes), to);
      break;
    case 'text':
      readText(decodeText(bytes), to);
      break;
    default:
      throw unsupported(filename);
  }
  const blocks = to.finish();
  if (blocks.length === 0 && !isContainer) throw new Refusal('document_empty', 'The document has no text.');
  return { blocks, title: to.title, language: to.language, isContainer };
}

/** What another engine has read, cleaned and counted as everything else. */
function readPages(source: Exclude<ReadTask['source'], { bytes: Uint8Array }>, settings: ReadSettings): ReadBlocks {
  const to = createBlockCollector(settings.textCharactersMax);
  if ('pages' in source)
    for (const { markdown, margins } of source.pages) {
      to.nextPage();
      readMarkdown(markdown, to);
      for (const margin of margins) to.add('margin', margin);
    }
  else
    for (const { kind, text, level, page, boxes } of source.blocks) {
      to.page = page;
      to.add(kind, text, level, boxes);
    }
  return { blocks: to.finish(), title: null, language: null, isContainer: false };
}

/** A document of an office program, a book, or an archive, by the entries that each must have. */
async function readZip(
  bytes: Uint8Array,
  to: BlockCollector,
  settings: ReadSettings,
  takeEntry: TakeEntry,
): Promise<boolean> {
  const zip = await openZip(bytes, settings.unpackedBytesMax);
  const isOffice = zip.has('[Content_Types].xml');
  if (isOffice && zip.names.some((name) => MACROS.test(name)))
    throw new Refusal('document_has_macros', 'The document holds macros. Save it without them, as docx, pptx or xlsx.');
  if (zip.has('word/document.xml')) await readDocx(zip, to);
  else if (zip.has('ppt/presentation.xml')) await readPptx(zip, to);
  else if (zip.has('xl/workbook.xml')) await readXlsx(zip, to);
  else if (zip.has('META-INF/container.xml')) await readEpub(zip, to);
  else {
    await unpack(zip, settings, takeEntry);
    return true;
  }
  return false;
}

async function unpack(zip: Zip, { entriesMax }: ReadSettings, takeEntry: TakeEntry): Promise<void> {
  const names = zip.names.filter((name) => !LITTER.test(name));
  if (names.length === 0) throw new Refusal('document_empty', 'The archive holds no file.');
  if (names.length > entriesMax)
    throw new Refusal('archive_too_large', `The archive holds ${names.length} files; ${entriesMax} are the limit.`);
  for (const name of names) {
    const content = await zip.read(name);
    if (content && content.length > 0) await takeEntry({ name: name.replace(/^(\.{0,2}[/\\])+/, ''), content });
  }
}

function decodeHtml(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 2048)).toString('latin1');
  return decodeText(bytes, /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})/i.exec(head)?.[1]);
}

function unsupported(filename: string): Refusal {
  const advice = OLD_OFFICE.test(filename) ? ' Save it as docx, xlsx, pptx or PDF.' : '';
  return new Refusal('unsupported_document', `The file is of a type that is not read here.${advice}`);
}

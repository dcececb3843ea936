import { fdatasyncSync, readSync, writeSync } from 'node:fs';
import type { Database as Connection } from 'better-sqlite3';

const HEADER_BYTES = 100;
const PAGE_BYTES_AT = 16;
const RESERVED_BYTES_AT = 20;
const FIRST_TRUNK_AT = 32;
const FREE_PAGES_AT = 36;
/** The header of a page of a tree, by the first byte of the page. */
const TREE_HEADER_BYTES = new Map([
  [0x02, 12],
  [0x05, 12],
  [0x0a, 8],
  [0x0d, 8],
]);

type Span = [from: number, end: number];
type PageRow = { pageno: number; pagetype: string; unused: number };

/**
 * Overwrites what no row uses in a database file: gaps between rows, ends of overflow pages and free pages. SQLite clears
 * what it deletes, but leaves copies of rows behind where it builds a page anew. Returns how many pages had something.
 *
 * The connection holds a read transaction that began with an empty log, so that the file does not change meanwhile: what is
 * written goes to the log, and no checkpoint may move it. Nobody reads the bytes that are changed here.
 */
export function overwriteUnused(connection: Connection, file: number, mayGoOn: () => boolean): number {
  const header = readAt(file, HEADER_BYTES, 0);
  const sizeOfPage = header.readUInt16BE(PAGE_BYTES_AT);
  const pageBytes = sizeOfPage === 1 ? 65_536 : sizeOfPage;
  const usable = pageBytes - header.readUInt8(RESERVED_BYTES_AT);
  const zeros = Buffer.alloc(pageBytes);
  let changed = 0;

  function clear(pageNo: number, page: Buffer, spans: Span[]): void {
    let isChanged = false;
    for (const [from, end] of spans) {
      if (page.compare(zeros, 0, end - from, from, end) === 0) continue;
      writeAt(file, zeros.subarray(0, end - from), (pageNo - 1) * pageBytes + from);
      isChanged = true;
    }
    if (isChanged) changed++;
  }
  const readPage = (pageNo: number) => readAt(file, pageBytes, (pageNo - 1) * pageBytes);

  const pages = connection.prepare('select pageno, pagetype, unused from dbstat').iterate();
  for (const { pageno, pagetype, unused } of pages as IterableIterator<PageRow>) {
    if (!mayGoOn()) return changed;
    const page = readPage(pageno);
    clear(pageno, page, pagetype === 'overflow' ? [[usable - unused, usable]] : unusedOf(page, pageno, usable));
  }
  let left = header.readUInt32BE(FREE_PAGES_AT);
  for (let trunkNo = header.readUInt32BE(FIRST_TRUNK_AT); trunkNo !== 0 && left > 0 && mayGoOn(); left--) {
    const trunk = readPage(trunkNo);
    const leaves = Math.min(trunk.readUInt32BE(4), (usable - 8) / 4);
    for (let i = 0; i < leaves; i++, left--) {
      const leafNo = trunk.readUInt32BE(8 + i * 4);
      clear(leafNo, readPage(leafNo), [[0, pageBytes]]);
    }
    clear(trunkNo, trunk, [[8 + leaves * 4, usable]]);
    trunkNo = trunk.readUInt32BE(0);
  }
  if (changed > 0) fdatasyncSync(file);
  return changed;
}

/** Of a page of a tree: between the list of its cells and the first of them, and within the chain of free blocks. */
function unusedOf(page: Buffer, pageNo: number, usable: number): Span[] {
  const at = pageNo === 1 ? HEADER_BYTES : 0;
  const headerBytes = TREE_HEADER_BYTES.get(page.readUInt8(at));
  if (headerBytes === undefined) throw new Error(`Page ${pageNo} is not of a tree.`);
  const cellsAt = at + headerBytes + page.readUInt16BE(at + 3) * 2;
  const contentAt = page.readUInt16BE(at + 5) || 65_536;
  const spans: Span[] = [[cellsAt, contentAt]];
  let previous = contentAt;
  for (let block = page.readUInt16BE(at + 1); block !== 0; block = page.readUInt16BE(block)) {
    const end = block + page.readUInt16BE(block + 2);
    spans.push([block + 4, end]);
    if (block < previous || end > usable) throw new Error(`Page ${pageNo} has a broken chain of free blocks.`);
    previous = end;
  }
  if (cellsAt > contentAt || contentAt > usable) throw new Error(`Page ${pageNo} has a broken header.`);
  return spans;
}

function readAt(file: number, length: number, position: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  if (readSync(file, bytes, 0, length, position) < length) throw new Error('The database file is cut off.');
  return bytes;
}

function writeAt(file: number, bytes: Buffer, position: number): void {
  if (writeSync(file, bytes, 0, bytes.length, position) < bytes.length)
    throw new Error('The database file could not be overwritten.');
}

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInflate } from 'node:zlib';
import { isIgnored } from '../../kit/folders/index.ts';

export type PackOrder = {
  pack: string;
  commit: string;
  /** Where the files are written, under numbers: names of a repository never become names here. */
  dir: string;
  /** Only what is below this folder of the repository. */
  below: string;
  ignore: string[];
  filesMax: number;
  fileBytesMax: number;
  bytesMax: number;
};
type PackFile = { path: string; sha256: string; bytes: number; file: string };
export type PackFiles = { files: PackFile[]; skipped: string[] };

/** What is wrong with the repository, for its owner. */
export class BadPack extends Error {}

type Kind = 'commit' | 'tree' | 'blob' | 'tag';
type Entry = { offset: number; data: number; size: number; kind: Kind | undefined; base: number | string | undefined };
type Content = { kind: Kind; bytes: Buffer };

const KINDS: Readonly<Record<number, Kind>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };
const OFFSET_DELTA = 6;
const REFERENCE_DELTA = 7;
const HEADER_BYTES = 64;
const OBJECTS_MAX = 500_000;
const TREES_MAX = 100_000;
const CHAIN_MAX = 250;
const DEPTH_MAX = 100;
const HASH_BYTES = 20;

/** The files of a commit in a pack. Nothing is checked out: links, submodules and hidden names are left out. */
export async function readPack(order: PackOrder): Promise<PackFiles> {
  const handle = await open(order.pack, 'r');
  try {
    const objects = await indexPack(handle, order);
    return await writeFiles(objects, order);
  } finally {
    await handle.close();
  }
}

/** Finds every object by its id. Each is inflated up to `fileBytesMax`; what is larger is passed over. */
async function indexPack(handle: FileHandle, { pack, fileBytesMax }: PackOrder) {
  const head = await readAt(handle, 0, 12);
  const count = head.length < 12 || head.toString('latin1', 0, 4) !== 'PACK' ? -1 : head.readUInt32BE(8);
  if (count < 0) throw new BadPack('What the server sent is no pack.');
  if (count > OBJECTS_MAX) throw new BadPack(`The repository has more than ${OBJECTS_MAX} objects.`);
  const byOffset = new Map<number, Entry>();
  const byId = new Map<string, Entry>();
  let offset = 12;
  for (let i = 0; i < count; i++) {
    const entry = readEntry(await readAt(handle, offset, HEADER_BYTES), offset);
    byOffset.set(offset, entry);
    const isHeld = entry.size <= fileBytesMax;
    const { bytes, consumed } = await inflate(pack, entry, isHeld);
    if (bytes && entry.kind) byId.set(idOf(entry.kind, bytes), entry);
    offset = entry.data + consumed;
  }

  /** `held`: all changes of a chain are in memory at once, and a few bytes can say that they are many. */
  async function read(entry: Entry, depth = 0, held = 0): Promise<Content | undefined> {
    if (depth > CHAIN_MAX) throw new BadPack('The repository is damaged: a chain of changes is too long.');
    if (entry.size > fileBytesMax) return undefined;
    if (held + entry.size > 2 * fileBytesMax) throw new BadPack('A chain of changes is too large.');
    const { bytes } = await inflate(pack, entry, true);
    if (!bytes) return undefined;
    if (entry.kind) return { kind: entry.kind, bytes };
    const below = typeof entry.base === 'string' ? byId.get(entry.base) : byOffset.get(entry.base ?? -1);
    if (!below) return undefined;
    const base = await read(below, depth + 1, held + entry.size);
    return base && applyDelta(base, bytes, fileBytesMax);
  }

  // Changes may be against changes that come later in the pack.
  let open = [...byOffset.values()].filter(({ kind }) => kind === undefined);
  for (let before = -1; open.length !== before; ) {
    before = open.length;
    const still: Entry[] = [];
    for (const entry of open) {
      const content = await read(entry);
      if (content) byId.set(idOf(content.kind, content.bytes), entry);
      else still.push(entry);
    }
    open = still;
  }
  return { find: (id: string) => byId.get(id), read };
}

type Objects = Awaited<ReturnType<typeof indexPack>>;

async function writeFiles(objects: Objects, order: PackOrder): Promise<PackFiles> {
  const { commit, dir, below, ignore, filesMax, bytesMax } = order;
  const found: PackFiles = { files: [], skipped: [] };
  let trees = 0;
  let total = 0;

  async function get(id: string, kind: Kind): Promise<Buffer | undefined> {
    const entry = objects.find(id);
    const content = entry && (await objects.read(entry));
    return content?.kind === kind ? content.bytes : undefined;
  }

  async function walk(id: string, prefix: string, depth: number): Promise<void> {
    // The same tree may stand in itself many times over; the count bounds what that unfolds to.
    if (++trees > TREES_MAX || depth > DEPTH_MAX) throw new BadPack('The repository has too many folders.');
    const tree = await get(id, 'tree');
    if (!tree) throw new BadPack('The repository is damaged: a folder is missing.');
    for (const { mode, name, id: child } of entriesOf(tree)) {
      const path = `${prefix}${name}`;
      const isOnTheWay = below === '' || `${path}/`.startsWith(`${below}/`) || `${below}/`.startsWith(`${path}/`);
      if (name.startsWith('.') || !isOnTheWay || isIgnored(path, ignore)) continue;
      if (mode === '40000') await walk(child, `${path}/`, depth + 1);
      else if (mode.startsWith('100') && (below === '' || path.startsWith(`${below}/`))) await write(path, child);
    }
  }

  async function write(path: string, id: string): Promise<void> {
    if (found.files.length >= filesMax) throw new BadPack(`The repository has more than ${filesMax} files.`);
    const bytes = await get(id, 'blob');
    if (!bytes) return void found.skipped.push(path);
    if (bytes.length === 0) return;
    total += bytes.length;
    if (total > bytesMax) throw new BadPack('The files of the repository are too large together.');
    const file = join(dir, String(found.files.length));
    await writeFile(file, bytes, { flag: 'wx', mode: 0o600 });
    found.files.push({ path, bytes: bytes.length, file, sha256: createHash('sha256').update(bytes).digest('hex') });
  }

  const tree = /^tree ([0-9a-f]{40})$/m.exec((await get(commit, 'commit'))?.toString('latin1', 0, 100) ?? '')?.[1];
  if (!tree) throw new BadPack('The repository is damaged: the commit is missing.');
  await walk(tree, '', 0);
  return found;
}

function* entriesOf(tree: Buffer): Generator<{ mode: string; name: string; id: string }> {
  for (let at = 0; at < tree.length; ) {
    const space = tree.indexOf(0x20, at);
    const end = tree.indexOf(0, space);
    if (space < 0 || end < 0 || end + HASH_BYTES >= tree.length + 1)
      throw new BadPack('The repository is damaged: a folder cannot be read.');
    const name = tree.toString('utf8', space + 1, end);
    if (name === '' || name.includes('/')) throw new BadPack('The repository has a name that is none.');
    const id = tree.toString('hex', end + 1, end + 1 + HASH_BYTES);
    yield { mode: tree.toString('latin1', at, space).replace(/^0/, ''), name, id };
    at = end + 1 + HASH_BYTES;
  }
}

/** Kind and size are in the first bytes, seven bits at a time; what a change is against follows. */
function readEntry(head: Buffer, offset: number): Entry {
  let at = 0;
  const next = (): number => {
    const byte = head[at++];
    if (byte === undefined) throw new BadPack('The repository is damaged: the pack ends early.');
    return byte;
  };
  let byte = next();
  const type = (byte >> 4) & 7;
  let size = byte & 15;
  for (let factor = 16; byte & 0x80; factor *= 128) {
    byte = next();
    size += (byte & 0x7f) * factor;
  }
  let base: number | string | undefined;
  if (type === OFFSET_DELTA) {
    byte = next();
    let back = byte & 0x7f;
    while (byte & 0x80) {
      byte = next();
      back = (back + 1) * 128 + (byte & 0x7f);
    }
    base = offset - back;
  } else if (type === REFERENCE_DELTA) {
    base = head.toString('hex', at, at + HASH_BYTES);
    at += HASH_BYTES;
  } else if (!KINDS[type]) throw new BadPack('The repository is damaged: an object has an unknown kind.');
  return { offset, data: offset + at, size, kind: KINDS[type], base };
}

/** Never holds more than the size that stands before the object. */
async function inflate(
  pack: string,
  entry: Entry,
  isHeld: boolean,
): Promise<{ bytes: Buffer | undefined; consumed: number }> {
  const source = createReadStream(pack, { start: entry.data, highWaterMark: entry.size < 16_384 ? 16_384 : 65_536 });
  const inflating = createInflate();
  const chunks: Buffer[] = [];
  let length = 0;
  source.on('error', (error) => inflating.destroy(error));
  try {
    for await (const chunk of source.pipe(inflating)) {
      length += chunk.length;
      if (length > entry.size) throw new BadPack('The repository is damaged: an object is longer than it says.');
      if (isHeld) chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof BadPack ? error : new BadPack('The repository is damaged: an object cannot be unpacked.');
  } finally {
    source.destroy();
  }
  if (length !== entry.size) throw new BadPack('The repository is damaged: an object is shorter than it says.');
  return { bytes: isHeld ? Buffer.concat(chunks, length) : undefined, consumed: inflating.bytesWritten };
}

/** A change is a list of pieces: copied from the base, or new. */
function applyDelta(base: Content, delta: Buffer, bytesMax: number): Content | undefined {
  let at = 0;
  const next = (): number => {
    const byte = delta[at++];
    if (byte === undefined) throw new BadPack('The repository is damaged: a change ends early.');
    return byte;
  };
  const readSize = (): number => {
    let size = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = next();
      size += (byte & 0x7f) * factor;
      if (!(byte & 0x80)) return size;
    }
  };
  if (readSize() !== base.bytes.length) throw new BadPack('The repository is damaged: a change does not fit.');
  const size = readSize();
  if (size > bytesMax) return undefined;
  const bytes = Buffer.alloc(size);
  let written = 0;
  const put = (piece: Buffer): void => {
    if (written + piece.length > size) throw new BadPack('The repository is damaged: a change is too long.');
    written += piece.copy(bytes, written);
  };
  while (at < delta.length) {
    const code = next();
    if (code & 0x80) {
      let from = 0;
      let length = 0;
      for (let i = 0; i < 4; i++) if (code & (1 << i)) from += next() * 2 ** (8 * i);
      for (let i = 0; i < 3; i++) if (code & (0x10 << i)) length += next() * 2 ** (8 * i);
      length ||= 0x10000;
      if (from + length > base.bytes.length) throw new BadPack('The repository is damaged: a change does not fit.');
      put(base.bytes.subarray(from, from + length));
    } else {
      if (code === 0 || at + code > delta.length)
        throw new BadPack('The repository is damaged: a change does not fit.');
      put(delta.subarray(at, at + code));
      at += code;
    }
  }
  if (written !== size) throw new BadPack('The repository is damaged: a change is too short.');
  return { kind: base.kind, bytes };
}

const idOf = (kind: Kind, bytes: Buffer): string =>
  createHash('sha1').update(`${kind} ${bytes.length}\0`).update(bytes).digest('hex');

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

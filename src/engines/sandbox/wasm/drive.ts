import { describe, type Entry, parentOf, sane, typeOf } from './drive-entries.ts';
import {
  EBADF,
  EEXIST,
  EINVAL,
  EISDIR,
  EMFILE,
  ENAMETOOLONG,
  ENOENT,
  ENOSPC,
  ENOTDIR,
  ENOTEMPTY,
  OK,
} from './errno.ts';
import { type Budget, createBudget, MemoryFile } from './memory-file.ts';

const ROOT_FD = 3;
const FIRST_FD = 10;
const OPEN_MAX = 256;
const ENTRIES_MAX = 2000;
const PATH_CHARACTERS_MAX = 1024;
const CREATE = 1;
const MUST_BE_DIRECTORY = 2;
const EXCLUSIVE = 4;
const TRUNCATE = 8;
const APPEND = 1;

type Open = { path: string; file: MemoryFile | undefined; offset: number; flags: number };
type Answer<T> = [number] | [typeof OK, T];

export type DriveLimits = { bytes: number };

/**
 * The whole file system of one run, in memory: what WASI calls a drive. It knows nothing of the machine's own files,
 * every path stays below its root, and all that a program can make it hold is bounded.
 */
export class Drive {
  readonly #entries = new Map<string, Entry>([['/', 'directory']]);
  readonly #open = new Map<number, Open>([[ROOT_FD, { path: '/', file: undefined, offset: 0, flags: 0 }]]);
  readonly #budget: Budget;
  #nextFd = FIRST_FD;

  constructor({ bytes }: DriveLimits) {
    this.#budget = createBudget(bytes);
  }

  /** Puts a file there with the directories above it; `budget` is for what the program does not pay for. */
  add(path: string, content: Uint8Array, budget = this.#budget): void {
    const parts = path.split('/').slice(1, -1);
    for (const [depth] of parts.entries()) this.#entries.set(`/${parts.slice(0, depth + 1).join('/')}`, 'directory');
    const file = new MemoryFile(budget);
    this.#entries.set(path, file);
    if (!file.write(content, 0)) throw new Error(`There is no room for ${path}.`);
  }

  /** All files below a directory, with their paths from there. */
  *filesBelow(directory: string): Generator<{ name: string; content: Uint8Array }> {
    for (const [path, entry] of this.#entries) {
      if (entry === 'directory' || !path.startsWith(`${directory}/`)) continue;
      yield { name: path.slice(directory.length + 1), content: Uint8Array.from(entry.read(0, entry.size)) };
    }
  }

  open(fd: number, path: string, how: number, flags: number): Answer<number> {
    const found = this.#resolve(fd, path);
    if (typeof found === 'number') return [found];
    if (this.#open.size >= OPEN_MAX) return [EMFILE];
    let entry = this.#entries.get(found);
    if (entry && how & EXCLUSIVE) return [EEXIST];
    if (!entry && !(how & CREATE)) return [ENOENT];
    if (!entry) {
      if (how & MUST_BE_DIRECTORY) return [EINVAL];
      const refused = this.#refuseEntry(found);
      if (refused) return [refused];
      entry = new MemoryFile(this.#budget);
      this.#entries.set(found, entry);
    }
    if (entry === 'directory') return [OK, this.#keep({ path: found, file: undefined, offset: 0, flags })];
    if (how & MUST_BE_DIRECTORY) return [ENOTDIR];
    if (how & TRUNCATE) entry.resize(0);
    return [OK, this.#keep({ path: found, file: entry, offset: 0, flags })];
  }

  close(fd: number): number {
    return this.#open.delete(fd) ? OK : EBADF;
  }

  read(fd: number, bytes: number): Answer<Uint8Array> {
    const open = this.#open.get(fd);
    if (!open?.file) return [EBADF];
    const data = open.file.read(open.offset, bytes);
    open.offset += data.byteLength;
    return [OK, data];
  }

  pread(fd: number, bytes: number, offset: number): Answer<Uint8Array> {
    const file = this.#open.get(fd)?.file;
    return file ? [OK, file.read(offset, bytes)] : [EBADF];
  }

  write(fd: number, data: Uint8Array): number {
    const open = this.#open.get(fd);
    if (!open?.file) return EBADF;
    const at = open.flags & APPEND ? open.file.size : open.offset;
    if (!open.file.write(data, at)) return ENOSPC;
    open.offset = at + data.byteLength;
    return OK;
  }

  pwrite(fd: number, data: Uint8Array, offset: number): number {
    const file = this.#open.get(fd)?.file;
    if (!file) return EBADF;
    return file.write(data, offset) ? OK : ENOSPC;
  }

  sync(fd: number): number {
    return this.#open.has(fd) ? OK : EBADF;
  }

  seek(fd: number, offset: bigint, whence: number): Answer<bigint> {
    const open = this.#open.get(fd);
    if (!open?.file) return [EBADF];
    const base = [0, open.offset, open.file.size][whence];
    const target = (base ?? Number.NaN) + Number(offset);
    if (!Number.isSafeInteger(target) || target < 0) return [EINVAL];
    open.offset = target;
    return [OK, BigInt(target)];
  }

  tell(fd: number): Answer<bigint> {
    const open = this.#open.get(fd);
    return open?.file ? [OK, BigInt(open.offset)] : [EBADF];
  }

  renumber(from: number, to: number): number {
    const open = this.#open.get(from);
    if (!open || !this.#open.has(to)) return EBADF;
    this.#open.set(to, open);
    if (from !== to) this.#open.delete(from);
    return OK;
  }

  unlink(fd: number, path: string): number {
    const found = this.#resolve(fd, path);
    if (typeof found === 'number') return found;
    const entry = this.#entries.get(found);
    if (!entry) return ENOENT;
    if (entry === 'directory') return EISDIR;
    this.#remove(found, entry);
    return OK;
  }

  removeDirectory(fd: number, path: string): number {
    const found = this.#resolve(fd, path);
    if (typeof found === 'number') return found;
    const entry = this.#entries.get(found);
    if (!entry) return ENOENT;
    if (entry !== 'directory') return ENOTDIR;
    if (found === '/') return EINVAL;
    if (this.#below(found).length > 0) return ENOTEMPTY;
    this.#entries.delete(found);
    return OK;
  }

  rename(fromFd: number, from: string, toFd: number, to: string): number {
    const source = this.#resolve(fromFd, from);
    const target = this.#resolve(toFd, to);
    if (typeof source === 'number') return source;
    if (typeof target === 'number') return target;
    const moved = this.#entries.get(source);
    const replaced = this.#entries.get(target);
    if (!moved) return ENOENT;
    if (source === target) return OK;
    if (source === '/' || target.startsWith(`${source}/`)) return EINVAL;
    if (this.#entries.get(parentOf(target)) !== 'directory') return ENOENT;
    if (replaced === 'directory') return moved === 'directory' ? ENOTEMPTY : EISDIR;
    if (replaced && moved === 'directory') return ENOTDIR;
    if (replaced) this.#remove(target, replaced);
    for (const path of [source, ...this.#below(source)]) {
      const entry = this.#entries.get(path);
      this.#entries.delete(path);
      if (entry) this.#entries.set(target + path.slice(source.length), entry);
    }
    return OK;
  }

  list(fd: number): Answer<{ name: string; type: number }[]> {
    const open = this.#open.get(fd);
    if (!open || open.file) return [EBADF];
    const prefix = open.path === '/' ? '/' : `${open.path}/`;
    const inside = this.#below(open.path).filter((path) => !path.includes('/', prefix.length));
    return [OK, inside.map((path) => ({ name: path.slice(prefix.length), type: typeOf(this.#entries.get(path)) }))];
  }

  stat(fd: number): Answer<ReturnType<typeof describe>> {
    const open = this.#open.get(fd);
    return open ? [OK, describe(open.path, open.file)] : [EBADF];
  }

  pathStat(fd: number, path: string): Answer<ReturnType<typeof describe>> {
    const found = this.#resolve(fd, path);
    if (typeof found === 'number') return [found];
    const entry = this.#entries.get(found);
    return entry ? [OK, describe(found, entry === 'directory' ? undefined : entry)] : [ENOENT];
  }

  setFlags(fd: number, flags: number): number {
    const open = this.#open.get(fd);
    if (!open) return EBADF;
    open.flags = flags;
    return OK;
  }

  setSize(fd: number, size: bigint): number {
    const file = this.#open.get(fd)?.file;
    if (!file) return EBADF;
    return file.resize(Number(size)) ? OK : ENOSPC;
  }

  setAccessTime(fd: number, time: Date): number {
    const file = this.#open.get(fd)?.file;
    if (file) file.accessed = sane(time);
    return this.#open.has(fd) ? OK : EBADF;
  }

  setModificationTime(fd: number, time: Date): number {
    const file = this.#open.get(fd)?.file;
    if (file) file.modified = sane(time);
    return this.#open.has(fd) ? OK : EBADF;
  }

  pathSetAccessTime(fd: number, path: string, time: Date): number {
    return this.#setTime(fd, path, (file) => (file.accessed = sane(time)));
  }

  pathSetModificationTime(fd: number, path: string, time: Date): number {
    return this.#setTime(fd, path, (file) => (file.modified = sane(time)));
  }

  pathCreateDir(fd: number, path: string): number {
    const found = this.#resolve(fd, path);
    if (typeof found === 'number') return found;
    if (this.#entries.has(found)) return EEXIST;
    const refused = this.#refuseEntry(found);
    if (!refused) this.#entries.set(found, 'directory');
    return refused ?? OK;
  }

  exists(fd: number): boolean {
    return this.#open.has(fd);
  }

  fileType(fd: number): number {
    const open = this.#open.get(fd);
    return open ? typeOf(open.file ?? 'directory') : 0;
  }

  fileFdflags(fd: number): number {
    return this.#open.get(fd)?.flags ?? 0;
  }

  #resolve(fd: number, path: string): string | number {
    const from = this.#open.get(fd);
    if (!from || from.file) return EBADF;
    if (path.length > PATH_CHARACTERS_MAX) return ENAMETOOLONG;
    const parts: string[] = path.startsWith('/') ? [] : from.path.split('/').filter(Boolean);
    for (const part of path.split('/')) {
      // Above the root is the root: there is nothing else to be reached.
      if (part === '..') parts.pop();
      else if (part !== '' && part !== '.') parts.push(part);
    }
    const resolved = `/${parts.join('/')}`;
    return resolved.length > PATH_CHARACTERS_MAX ? ENAMETOOLONG : resolved;
  }

  #refuseEntry(path: string): number | undefined {
    if (this.#entries.get(parentOf(path)) !== 'directory') return ENOENT;
    return this.#entries.size >= ENTRIES_MAX ? ENOSPC : undefined;
  }

  #keep(open: Open): number {
    const fd = this.#nextFd++;
    this.#open.set(fd, open);
    return fd;
  }

  #below(directory: string): string[] {
    const prefix = directory === '/' ? '/' : `${directory}/`;
    return [...this.#entries.keys()].filter((path) => path.startsWith(prefix) && path !== '/');
  }

  #remove(path: string, file: MemoryFile): void {
    this.#entries.delete(path);
    // One that is still open keeps its memory, and its share of the budget, to the end of the run.
    if (![...this.#open.values()].some((open) => open.file === file)) file.release();
  }

  #setTime(fd: number, path: string, set: (file: MemoryFile) => void): number {
    const found = this.#resolve(fd, path);
    if (typeof found === 'number') return found;
    const entry = this.#entries.get(found);
    if (entry && entry !== 'directory') set(entry);
    return entry ? OK : ENOENT;
  }
}

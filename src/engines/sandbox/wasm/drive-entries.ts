import type { MemoryFile } from './memory-file.ts';

const DIRECTORY = 3;
const REGULAR_FILE = 4;

export type Entry = MemoryFile | 'directory';

export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

/** WASI's number for the kind of an entry. */
export function typeOf(entry: Entry | undefined): number {
  return entry === 'directory' ? DIRECTORY : REGULAR_FILE;
}

export function describe(path: string, file: MemoryFile | undefined) {
  const modified = file?.modified ?? new Date(0);
  const timestamps = { access: file?.accessed ?? modified, modification: modified, change: modified };
  return { path, timestamps, type: file ? REGULAR_FILE : DIRECTORY, byteLength: file?.size ?? 0 };
}

/** Replaces an invalid time. */
export function sane(time: Date): Date {
  return Number.isNaN(time.getTime()) ? new Date(0) : time;
}

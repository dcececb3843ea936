import { closeSync, openSync, readSync, writeSync } from 'node:fs';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const BIG_ENDIAN_MAGIC = 0x377f0683;
const LITTLE_ENDIAN_MAGIC = 0x377f0682;
/** Offset of the number of committed frames in the shared index of the log. */
const COMMITTED_FRAMES_AT = 16;

/** The log does not hold what was written to it. */
export class LogDamaged extends Error {
  override name = 'LogDamaged';

  constructor() {
    super('The write-ahead log lost what was written to it. Restart the server on a sound disk.');
  }
}

export type LogRewriter = {
  /**
   * Writes every committed frame of the log again, in place. After a failed sync the system may have dropped pages and
   * report the next sync as a success; pages that are written again are synced again. Checksums are verified first.
   *
   * The caller holds SQLite's write lock, so the log does not change meanwhile.
   */
  rewrite(): void;
  /** Only after this process has closed its connections to the database. */
  close(): void;
};

export function createLogRewriter(file: string): LogRewriter {
  // SQLite locks the index file, and closing any handle of a file drops all locks of the process on it. Another process
  // would then truncate the index. So the handle stays open.
  let index: number | undefined;
  return {
    rewrite() {
      index ??= openSync(`${file}-shm`, 'r');
      const log = openSync(`${file}-wal`, 'r+');
      try {
        rewriteFrames(log, readCommitted(index));
      } finally {
        closeSync(log);
      }
    },
    close() {
      if (index !== undefined) closeSync(index);
      index = undefined;
    },
  };
}

function rewriteFrames(log: number, committed: number): void {
  if (committed === 0) return;
  const header = readAt(log, HEADER_BYTES, 0);
  const sums = createSums(header);
  const frameBytes = FRAME_HEADER_BYTES + pageBytesOf(header);
  writeAt(log, header, 0);
  for (let frame = 0; frame < committed; frame++) {
    const at = HEADER_BYTES + frame * frameBytes;
    const bytes = readAt(log, frameBytes, at);
    if (!isOfThisLog(bytes, header) || !sums.matches(bytes)) throw new LogDamaged();
    writeAt(log, bytes, at);
  }
}

function readCommitted(index: number): number {
  const bytes = readAt(index, COMMITTED_FRAMES_AT + 4, 0);
  // The index has the byte order of this machine; all platforms of Node are little-endian.
  return bytes.readUInt32LE(COMMITTED_FRAMES_AT);
}

function pageBytesOf(header: Buffer): number {
  return header.readUInt32BE(8);
}

/** Frames of an earlier generation of the log have other salts. */
function isOfThisLog(frame: Buffer, header: Buffer): boolean {
  return frame.compare(header, 16, 24, 8, 16) === 0;
}

/** The running checksums of SQLite's file format: each covers all frames before it. */
function createSums(header: Buffer) {
  const magic = header.readUInt32BE(0);
  if (magic !== BIG_ENDIAN_MAGIC && magic !== LITTLE_ENDIAN_MAGIC) throw new LogDamaged();
  const isBig = magic === BIG_ENDIAN_MAGIC;
  let [first, second] = [0, 0];

  function add(bytes: Buffer, from: number, to: number): void {
    for (let at = from; at < to; at += 8) {
      const left = isBig ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
      const right = isBig ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4);
      first = (first + left + second) >>> 0;
      second = (second + right + first) >>> 0;
    }
  }

  add(header, 0, 24);
  if (header.readUInt32BE(24) !== first || header.readUInt32BE(28) !== second) throw new LogDamaged();
  return {
    matches(frame: Buffer): boolean {
      add(frame, 0, 8);
      add(frame, FRAME_HEADER_BYTES, frame.length);
      return frame.readUInt32BE(16) === first && frame.readUInt32BE(20) === second;
    },
  };
}

function readAt(file: number, bytes: number, position: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  for (let done = 0; done < bytes; ) {
    const count = readSync(file, buffer, done, bytes - done, position + done);
    if (count === 0) throw new LogDamaged();
    done += count;
  }
  return buffer;
}

function writeAt(file: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, position + done);
}

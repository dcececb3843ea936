import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';

/** What a binary runs on; undefined for every other file. */
export type Machine = 'linux-x64' | 'linux-arm64' | 'musl' | 'other';

const ELF = 0x7f454c46;
const MACH_O = new Set([0xcffaedfe, 0xcefaedfe, 0xfeedface, 0xfeedfacf, 0xcafebabe]);
const ELF_MACHINES: Record<number, Machine> = { 62: 'linux-x64', 183: 'linux-arm64' };
/** Node itself is larger, and is no library of musl. */
const MUSL_BYTES_MAX = 64 * 1024 * 1024;

export function readMachine(file: string): Machine | undefined {
  const head = readHead(file);
  if (head.length < 20) return undefined;
  const magic = head.readUInt32BE(0);
  if (MACH_O.has(magic) && !file.endsWith('.class')) return 'other';
  if (head.toString('latin1', 0, 2) === 'MZ' && /\.(dll|exe|node)$/i.test(file)) return 'other';
  if (magic !== ELF) return undefined;
  const machine = ELF_MACHINES[head.readUInt16LE(18)] ?? 'other';
  const isMusl = statSync(file).size < MUSL_BYTES_MAX && readFileSync(file).includes('libc.musl-');
  return isMusl ? 'musl' : machine;
}

function readHead(file: string): Buffer {
  const fd = openSync(file, 'r');
  try {
    const head = Buffer.alloc(20);
    return head.subarray(0, readSync(fd, head));
  } finally {
    closeSync(fd);
  }
}

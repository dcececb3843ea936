import { constants as fileFlags, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileShim } from '../../../test/crash/compile-shim.ts';

const source = fileURLToPath(new URL('./disk-faults.c', import.meta.url));
const CONTROL_BYTES = 128;
const ONLY_AT = 24;
const WRITES = 1;
const SYNCS = 2;
const NAMES = 4;
const GROWING = 8;

type Fault = { error: number; calls: number };

/** The faults of a disk as seen by a writer. */
export const faults = {
  full: { error: constants.errno.ENOSPC, calls: WRITES | GROWING | NAMES },
  'read-only': { error: constants.errno.EROFS, calls: WRITES | GROWING | NAMES },
  broken: { error: constants.errno.EIO, calls: WRITES | SYNCS },
  'not syncing': { error: constants.errno.EIO, calls: SYNCS },
  'full at the sync': { error: constants.errno.ENOSPC, calls: SYNCS },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

export type Disk = {
  /** The environment of the processes that use this disk. */
  env: Record<string, string>;
  /** From now on, or for `times` calls after `skip` that pass; with `only`, calls on files whose path contains it. */
  fail(fault: FaultName, options?: { skip?: number; times?: number; only?: string }): void;
  mend(): void;
  /** How many calls failed since the fault began. */
  failed(): number;
};

export const canInjectFaults = (): boolean => compileShim(source) !== undefined;

/** A disk under `dir` whose faults are set from here while processes run on it. `control` is outside of it. */
export function createDisk(dir: string, control: string): Disk {
  const library = compileShim(source);
  if (library === undefined) throw new Error('Faults of a disk need Linux and a C compiler (cc)');
  mkdirSync(dirname(control), { recursive: true });
  mkdirSync(dir, { recursive: true });
  // Never truncated: running processes have it mapped into their memory.
  const file = openSync(control, fileFlags.O_RDWR | fileFlags.O_CREAT, 0o600);
  const set = (error: number, calls = 0, skip = 0, times = 0, only = '') => {
    const bytes = Buffer.alloc(CONTROL_BYTES);
    for (const [index, value] of [0, calls, skip, times].entries()) bytes.writeUInt32LE(value, index * 4);
    bytes.write(only, ONLY_AT);
    writeSync(file, bytes, 0, CONTROL_BYTES, 0);
    // Last, because it activates the fault.
    bytes.writeUInt32LE(error, 0);
    writeSync(file, bytes, 0, 4, 0);
  };
  set(0);
  return {
    env: {
      LD_PRELOAD: library,
      DISK_FAULTS_DIR: resolve(dir),
      DISK_FAULTS_CONTROL: resolve(control),
      // Writes through io_uring bypass the C library, and with it the shim.
      UV_USE_IO_URING: '0',
    },
    fail(fault, { skip = 0, times = 0, only = '' } = {}) {
      const { error, calls } = faults[fault];
      set(error, calls, skip, times, only);
    },
    mend: () => set(0),
    failed() {
      const bytes = Buffer.alloc(4);
      readSync(file, bytes, 0, 4, 20);
      return bytes.readUInt32LE(0);
    },
  };
}

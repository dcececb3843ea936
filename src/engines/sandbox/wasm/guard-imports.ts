import type { WASI } from '@runno/wasi';
import type { BoundedOutput } from '../bounded-output.ts';
import type { Drive } from './drive.ts';
import { ENOTSUP, OK } from './errno.ts';

const STDOUT = 1;
const STDERR = 2;
const DOZE_MS = 2;

const doze = new Int32Array(new SharedArrayBuffer(4));

type Call = (...numbers: number[]) => number;

/**
 * What the program may call of the outside: the library's functions on our drive, with those replaced that would let it
 * take memory of ours without a bound, that cut characters in two, or that do not work.
 */
export function guardImports(
  wasi: WASI,
  drive: Drive,
  { stdout, stderr }: { stdout: BoundedOutput; stderr: BoundedOutput },
): WebAssembly.Imports {
  const { wasi_snapshot_preview1: table } = wasi.getImportObject();
  const write = table.fd_write as Call;
  const guarded: Record<string, Call> = {
    fd_write(fd = 0, vectors = 0, count = 0, result = 0) {
      if (fd !== STDOUT && fd !== STDERR) return write(fd, vectors, count, result);
      const view = new DataView(wasi.memory.buffer);
      let bytes = 0;
      for (let at = vectors; at < vectors + 8 * count; at += 8) {
        const length = view.getUint32(at + 4, true);
        (fd === STDOUT ? stdout : stderr).add(new Uint8Array(wasi.memory.buffer, view.getUint32(at, true), length));
        bytes += length;
      }
      view.setUint32(result, bytes, true);
      return OK;
    },
    // It would make the zeros first and ask the drive afterwards. Libraries do without it.
    fd_allocate: () => ENOTSUP,
    path_remove_directory: (fd = 0, path = 0, length = 0) =>
      drive.removeDirectory(fd, new TextDecoder().decode(new Uint8Array(wasi.memory.buffer, path, length))),
    // Python's own sleep does not get through to us; ours, in the start of each run, calls this again and again.
    sched_yield() {
      Atomics.wait(doze, 0, 0, DOZE_MS);
      return OK;
    },
  };
  return { wasi_snapshot_preview1: { ...table, ...guarded } };
}

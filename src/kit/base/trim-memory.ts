import { createRequire } from 'node:module';

/** What the process must have grown by since it was last trimmed. */
const GROWN_BYTES = 32 * 1024 * 1024;
/** From this size on, glibc takes memory from the system and gives it back when it is freed. By default the limit rises to 32 MiB. */
const APART_BYTES = 256 * 1024;
const M_MMAP_THRESHOLD = -3;

type Koffi = { load(path: string): { func(prototype: string): (...values: number[]) => number } };
type Allocator = { setOption(option: number, value: number): number; trim(): number };

/**
 * Gives back what glibc keeps of freed memory: after a while of large requests it holds more than the program does. A process
 * that never grows loads nothing for this. Without the package or another C library, nothing happens.
 */
export function createMemoryTrimmer(load = loadAllocator, rss = () => process.memoryUsage.rss()): () => void {
  let keptBytes = rss();
  let allocator: Allocator | undefined | null;
  return () => {
    const bytes = rss();
    keptBytes = Math.min(keptBytes, bytes);
    if (bytes < keptBytes + GROWN_BYTES || allocator === null) return;
    if (allocator === undefined) {
      allocator = load() ?? null;
      allocator?.setOption(M_MMAP_THRESHOLD, APART_BYTES);
    }
    allocator?.trim();
    keptBytes = rss();
  };
}

/** Undefined where there is no glibc, or no koffi, which is an optional package. */
function loadAllocator(): Allocator | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const library = (createRequire(import.meta.url)('koffi') as Koffi).load('libc.so.6');
    const trim = library.func('int malloc_trim(size_t pad)');
    const setOption = library.func('int mallopt(int option, int value)');
    return { setOption: (option, value) => setOption(option, value), trim: () => trim(0) };
  } catch {
    return undefined;
  }
}

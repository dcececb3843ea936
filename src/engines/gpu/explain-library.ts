import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { kindDir } from './installed.ts';
import type { GpuKind } from './packages.ts';

/** Why an installed library cannot be used, in the words of the system's loader. The process may not survive it. */
export function explainLibrary(gpuDir: string, kind: GpuKind): string {
  const dir = kindDir(gpuDir, kind);
  // The folder of fallbacks has only what it has beside another library.
  const library = readdirSync(dir, { recursive: true, encoding: 'utf8' }).find(
    (path) => /^(lib)?ggml-(cuda|vulkan)\.(so|dll)$/.test(basename(path)) && !path.includes('fallback'),
  );
  if (library === undefined) return 'its library is missing';
  try {
    process.dlopen({ exports: {} }, join(dir, library));
  } catch (error) {
    const [message = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
    // It was loaded, and is no module of Node.
    if (!message.includes('self-register')) return message;
  }
  return 'it finds no device that it can use';
}

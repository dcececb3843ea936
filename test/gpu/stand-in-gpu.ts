import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type GpuKind, gpuDirOf, RUNTIME_VERSION } from '../../src/engines/index.ts';
import { compileShim } from '../crash/compile-shim.ts';
import { temporaryDir } from '../support/databases.ts';

const PACKAGES = fileURLToPath(new URL('../../node_modules/@node-llama-cpp', import.meta.url));
const CPU = 'linux-x64';
const libraries = join(PACKAGES, CPU, 'bins', CPU);

/** Without the package of this platform, or without a C compiler, there is none; the closing lines of the run say so. */
export const hasStandIn = process.arch === 'x64' && existsSync(libraries) && compile('cuda') !== undefined;

export const standInNeeded = 'a library that stands in for the GPU (Linux on x64 and a C compiler)';

export type Orders =
  `${'abort' | 'crash' | 'exit' | 'fail' | 'hang' | 'hang-open'}${'' | ` ${number}${'' | ` ${number}`}`}`;

/** What node-llama-cpp and the server look for before they think of a GPU. */
const DRIVERS = ['nvidia-ml.so.1', 'cuda.so.1', 'cudart.so.13', 'cublas.so.13', 'cublasLt.so.13', 'vulkan.so.1'];

/** A data dir in which GPU engines are installed: llama.cpp's own files, and in the place of the GPU's library a stand-in. */
export function installStandIn(kinds: GpuKind[] = ['cuda']) {
  const dataDir = join(temporaryDir(), 'data');
  const gpuDir = gpuDirOf(dataDir);
  const dirOf = (kind: GpuKind) => join(gpuDir, RUNTIME_VERSION, kind, `${CPU}-${kind}`, 'bins', `${CPU}-${kind}`);
  const libraryOf = (kind: GpuKind) => join(dirOf(kind), `libggml-${kind}.so`);
  for (const kind of kinds) {
    const [dir, from] = [dirOf(kind), join(PACKAGES, CPU)];
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    // Copies, because links are followed to the place where no such library is.
    cpSync(libraries, dir, { recursive: true });
    cpSync(join(from, 'dist'), join(dir, '../../dist'), { recursive: true });
    cpSync(join(from, 'package.json'), join(dir, '../../package.json'));
    const about = join(dir, '_nlcBuildMetadata.json');
    writeFileSync(about, readFileSync(about, 'utf8').replace('"gpu":false', `"gpu":"${kind}"`));
    cpSync(compile(kind) ?? '', libraryOf(kind));
  }
  const drivers = temporaryDir();
  for (const name of DRIVERS) writeFileSync(join(drivers, `lib${name}`), '');
  return {
    dataDir,
    gpuDir,
    environment: { LD_LIBRARY_PATH: drivers },
    libraryOf,
    /** From the next graph on. */
    order(orders: Orders | undefined, kind: GpuKind = 'cuda') {
      const file = join(dirOf(kind), 'orders');
      if (orders === undefined) rmSync(file, { force: true });
      else writeFileSync(file, orders);
    },
  };
}

function compile(kind: GpuKind): string | undefined {
  const source = fileURLToPath(new URL('./stand-in-gpu.c', import.meta.url));
  const name = kind === 'cuda' ? 'CUDA' : 'Vulkan';
  const named = readdirSync(libraries).filter((file) => /^libggml(-base)?\.(v.*\.)?so$/.test(file));
  const linked = [`-L${libraries}`, ...named.map((name) => `-l:${name}`), '-Wl,-rpath,$ORIGIN'];
  return compileShim(source, [`-DNAME="${name}"`, ...linked]);
}

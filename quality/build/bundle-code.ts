import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { CHILDREN, PROGRAM, ROOT } from './layout.ts';

type Manifest = { dependencies: object; optionalDependencies: object };

/** Bundles our code with the packages that are plain JavaScript. Returns the files that went into it. */
export async function bundleCode(dist: string): Promise<string[]> {
  const modules = new Set<string>();
  const builds = [[PROGRAM], ...CHILDREN.map((child) => [child])];
  for (const [entry = ''] of builds) {
    const bundle = await rolldown({
      input: { [entry.replace(/\.ts$/, '')]: join(ROOT, 'src', entry) },
      platform: 'node',
      // Native code, WebAssembly and large packages that few need are installed beside us.
      external: isInstalled,
      plugins: [workflowsPackage],
      treeshake: { moduleSideEffects: true },
      transform: { target: 'es2024' },
      logLevel: 'silent',
    });
    const { output } = await bundle.write({
      dir: dist,
      format: 'esm',
      sourcemap: true,
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      ...(entry === PROGRAM ? {} : { codeSplitting: false }),
    });
    await bundle.close();
    for (const chunk of output.filter((file): file is OutputChunk => file.type === 'chunk'))
      for (const [id, { renderedLength }] of Object.entries(chunk.modules)) if (renderedLength > 0) modules.add(id);
  }
  return [...modules].filter((id) => id.startsWith('/') || /^[A-Z]:/.test(id)).toSorted();
}

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
/** Installed for the workflows of a project; the program has them inside, which starts faster. */
const INSIDE = ['ajv', 'undici', 'zod'];
const installed = new Set(Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })).difference(
  new Set(INSIDE),
);
/** Asked for by packages that work without them. */
const ABSENT = ['pg-native', 'cloudflare:sockets'];

function isInstalled(id: string): boolean {
  if (id.startsWith('.') || id.startsWith('/')) return false;
  const [scope = '', name] = id.split('/');
  return ABSENT.includes(id) || installed.has(scope.startsWith('@') ? `${scope}/${name}` : scope);
}

/** A project's files import the package by its name, so the worker must use that same copy, which is built apart. */
const workflowsPackage: Plugin = {
  name: 'workflows-package',
  resolveId(id, importer) {
    if (!importer || !id.endsWith('packages/workflows/src/worker/index.ts')) return null;
    return { id: '#workflows/worker', external: true };
  },
};

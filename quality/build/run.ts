import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { appPaths, buildApp, findBuilt } from '../../src/console/index.ts';
import { bundleCode } from './bundle-code.ts';
import { READ_FILES, ROOT, VIEWER_FILES } from './layout.ts';

const dist = join(ROOT, 'dist');
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);

const workflows = join(ROOT, 'packages/workflows/build.ts');
execFileSync(process.execPath, [workflows, join(dist, 'workflows')], { stdio: 'inherit' });
await bundleCode(dist);
for (const file of READ_FILES) cpSync(join(ROOT, 'src', file), join(dist, file));
const viewer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
for (const file of VIEWER_FILES) cpSync(join(viewer, file), join(dist, 'swagger-ui', file));
cpSync(await buildConsole(), join(dist, 'console'), { recursive: true });

/** The checkout's own build where it is up to date. */
async function buildConsole(): Promise<string> {
  const paths = appPaths(resolve(ROOT, '.tramontane'));
  const signal = AbortSignal.timeout(300_000);
  return (await findBuilt(paths)) ?? (await buildApp(paths, { signal, onProgress: () => undefined }));
}

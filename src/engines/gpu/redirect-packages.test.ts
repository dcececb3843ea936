import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { packageEntry } from './installed.ts';

it('a package in the data dir is found by its name, before the one beside node-llama-cpp, and others as usual', () => {
  const gpuDir = temporaryDir();
  const entry = packageEntry(gpuDir, 'vulkan', 'linux-x64-vulkan');
  mkdirSync(join(entry, '..'), { recursive: true });
  writeFileSync(entry, 'export const where = import.meta.url;');
  // In a process of its own, because the redirection lasts as long as the process.
  const program = `
    import { redirectPackages } from ${JSON.stringify(new URL('./redirect-packages.ts', import.meta.url).href)};
    redirectPackages(${JSON.stringify(gpuDir)});
    const { where } = await import('@node-llama-cpp/linux-x64-vulkan');
    const missing = await import('@node-llama-cpp/linux-x64-nothing').catch(({ code }) => code);
    console.log(JSON.stringify({ where, missing }));`;
  const text = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect(JSON.parse(text)).toEqual({ where: pathToFileURL(entry).href, missing: 'ERR_MODULE_NOT_FOUND' });
});

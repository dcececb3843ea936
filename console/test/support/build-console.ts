import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';

const consoleDir = new URL('../..', import.meta.url).pathname;

/**
 * The built app, once for each state of its sources: whoever comes second, in this run or the next, finds it. Built
 * aside and put in place in one step, so nobody sees half of it.
 */
export async function buildConsole(): Promise<string> {
  const target = join(tmpdir(), `tramontane-console-${hashSources()}`);
  if (existsSync(target)) return target;
  const aside = mkdtempSync(join(tmpdir(), 'tramontane-console-build-'));
  await build({
    configFile: join(consoleDir, 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir: aside, emptyOutDir: true },
  });
  try {
    renameSync(aside, target);
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
  return target;
}

function hashSources(): string {
  const hash = createHash('sha256');
  const sources = globSync(['src/**/*', 'index.html', 'vite.config.ts', '../package-lock.json'], {
    cwd: consoleDir,
    withFileTypes: true,
  });
  const files = sources.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.sort()) hash.update(file.slice(consoleDir.length)).update('\0').update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryDir } from './support/databases.ts';
import { firstLine } from './support/first-line.ts';
import { inFull } from './support/in-full.ts';

const launcher = fileURLToPath(new URL('../bin/tramontane.js', import.meta.url));
const environment = (dir: string) => ({
  ...process.env,
  TRAMONTANE_DATA_DIR: join(dir, 'data'),
  TRAMONTANE_PORT: '0',
  TRAMONTANE_CONSOLE: 'off',
});

/** Makes this Node look like an older version. */
function pretendToBe(version: string, dir: string): string[] {
  const preload = join(dir, 'old-node.cjs');
  writeFileSync(
    preload,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });
     Object.defineProperty(process, 'version', { value: 'v${version}' });
     if (parseInt('${version}', 10) < 22) delete process.execve;`,
  );
  return ['--require', preload];
}

describe('the launcher', () => {
  inFull.it.each(['20.20.2', '22.0.0'])(
    'on Node %s becomes the server on Node 24 or newer, with its signals and exit code',
    async (version) => {
      const dir = temporaryDir();
      const child = spawn(process.execPath, [...pretendToBe(version, dir), launcher, 'start', '--json'], {
        env: environment(dir),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const line = await firstLine(child);
      const { url, node } = JSON.parse(line) as { url: string; node: string };
      expect(Number.parseInt(node.replace('v', ''), 10)).toBeGreaterThanOrEqual(24);
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      // The process itself has become the server: no launcher waits for it.
      if (process.platform === 'linux')
        expect(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')).not.toContain('old-node.cjs');
      child.kill('SIGTERM');
      expect((await once(child, 'exit'))[0]).toBe(0);
    },
  );

  it('bounds young garbage wherever a server is started: by the bundled Node, by npm start, in the image', () => {
    for (const file of [
      '../bin/tramontane.js',
      '../package.json',
      '../quality/release/stage-program.ts',
      '../quality/bench/children.ts',
    ])
      expect(readFileSync(new URL(file, import.meta.url), 'utf8'), file).toContain('--max-semi-space-size=16');
  });

  it.each(['0.12.18', '8.17.0', '20.20.2'])('on Node %s without the bundled one says what to install', (version) => {
    const dir = temporaryDir();
    mkdirSync(join(dir, 'bin'));
    copyFileSync(launcher, join(dir, 'bin', 'tramontane.js'));
    writeFileSync(join(dir, 'bin', 'package.json'), '{"type":"commonjs"}');
    const { status, stderr } = spawnSync(
      process.execPath,
      [...pretendToBe(version, dir), join(dir, 'bin', 'tramontane.js'), 'start'],
      { encoding: 'utf8', env: { PATH: process.env.PATH } },
    );
    expect(status).toBe(1);
    expect(stderr).toContain(`tramontane needs Node 24 or newer; this is v${version}`);
    expect(stderr).toContain('npm ci');
    expect(stderr).not.toMatch(/\bat .*:\d+:\d+/);
  });

  it('is written so that any Node can parse it', () => {
    const code = readFileSync(launcher, 'utf8')
      .replace(/\/\/.*$/gm, '')
      .replace(/'[^']*'/g, "''");
    expect(code).not.toMatch(/=>|`|\b(const|let|class|async|await|import|export|of)\b|\?\.|\?\?|\.\.\.|\*\*|catch \{/);
  });
});

describe('the project', () => {
  it('needs no install script and records no download address', () => {
    expect(readFileSync(new URL('../.npmrc', import.meta.url), 'utf8')).toContain('ignore-scripts=true');
    expect(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')).not.toContain('"resolved": "http');
  });

  it('runs its scripts on Node 24 or newer whatever the machine has, because the package puts it on the path', () => {
    const { stdout } = spawnSync('npm', ['exec', '--offline', '--', 'node', '--version'], {
      encoding: 'utf8',
      cwd: fileURLToPath(new URL('..', import.meta.url)),
    });
    expect(Number.parseInt(stdout.trim().replace('v', ''), 10)).toBeGreaterThanOrEqual(24);
  });
});

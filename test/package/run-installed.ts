import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { atEnd } from '../support/cleanup.ts';
import { firstLine } from '../support/first-line.ts';

export type Installed = { url: string; key: string; node: string; child: ChildProcess; stop(): Promise<void> };

const KEY = 'a-key-of-the-package-tests-0123456789abcdef';

/** `tramontane start` of an installation, with nothing of this environment but the path. */
export async function startInstalled(
  command: [file: string, ...args: string[]],
  { dataDir, config, environment = {} }: { dataDir: string; config: string; environment?: Record<string, string> },
): Promise<Installed> {
  const [file, ...args] = command;
  const child = spawn(file, [...args, '--json'], {
    cwd: join(dataDir, '..'),
    env: {
      PATH: process.env.PATH,
      TRAMONTANE_DATA_DIR: dataDir,
      TRAMONTANE_CONFIG: config,
      TRAMONTANE_PORT: '0',
      TRAMONTANE_AUTO_PULL: 'off',
      TRAMONTANE_BOOTSTRAP_API_KEY: KEY,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atEnd(() => child.kill('SIGKILL'));
  const { url, node } = JSON.parse(await firstLine(child)) as { url: string; node: string };
  return {
    url,
    node,
    key: KEY,
    child,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const [code] = await ended;
      if (code !== 0) throw new Error(`The server ended with ${code}.`);
    },
  };
}

/** Where a process is not what was started but what it became, its arguments tell. Linux only. */
export function commandOf({ pid }: ChildProcess): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
}

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { launcherFile } from '../../../test/support/programs.ts';
import type { Environment } from '../../config/environment.ts';
import { findProgram, preparePlatform, run } from '../run-for-tests.ts';
import { formatTable } from './format-table.ts';
import { quoteForShell } from './quote-for-shell.ts';

const ESCAPE = '\u001b';
/** Runs a command on a terminal of its own. */
const PTY = 'script';

describe('colours and moving lines', () => {
  let environment: Environment;
  beforeAll(async () => {
    ({ environment } = await preparePlatform());
  });

  it('are not for a pipe', async () => {
    const { stdout, stderr } = await run(['audit', 'verify'], environment);
    expect(stdout + stderr).not.toContain(ESCAPE);
  });

  describe.runIf(findProgram(PTY))('on a terminal', () => {
    const onTerminal = (args: string[], more: Environment = {}) => {
      const command = [process.execPath, launcherFile(), ...args].map(quoteForShell).join(' ');
      const env = { PATH: '/usr/bin:/bin', TERM: 'xterm', ...environment, ...more };
      return execFileSync(PTY, ['-qec', command, '/dev/null'], {
        encoding: 'utf8',
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    };

    it('are there', () => {
      const text = onTerminal(['audit', 'verify']);
      expect(text).toContain(`${ESCAPE}[32mintact${ESCAPE}[0m`);
      expect(text).toContain(`\r${ESCAPE}[K4 entries checked\r${ESCAPE}[K`);
    });

    it('are plain where NO_COLOR is set', () => {
      expect(onTerminal(['audit', 'verify'], { NO_COLOR: '1' })).not.toContain(`${ESCAPE}[32m`);
      expect(onTerminal(['--help'], { NO_COLOR: '1' })).not.toContain(ESCAPE);
    });
  });
});

it('a reader that goes away is no failure; a result that cannot be written is one', () => {
  const tramontane = `${process.execPath} ${launcherFile()}`;
  const sh = (line: string) =>
    spawnSync('bash', ['-c', line], {
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const gone = sh(`set -o pipefail; ${tramontane} completion fish | head -1`);
  expect(gone).toMatchObject({ status: 0, stdout: '# Completion of tramontane for fish.\n', stderr: '' });
  if (!existsSync('/dev/full')) return;
  const full = sh(`${tramontane} version > /dev/full`);
  expect(full).toMatchObject({ status: 1, stderr: 'The output could not be written (ENOSPC).\n' });
});

it('a name with an escape sequence cannot rule the terminal', () => {
  expect(formatTable(['NAME'], [[`a${ESCAPE}[2Jb`]])).toBe('NAME\na\ufffd[2Jb');
});

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { COMMANDS } from '../commands.ts';
import { findProgram, run, runJson } from '../run-for-tests.ts';

it.each(['bash', 'zsh', 'fish'])('%s gets a script that knows every command', async (shell) => {
  const { code, stdout, stderr } = await run(['completion', shell]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const { name } of COMMANDS) expect(stdout).toContain(name);
  expect(stdout).toContain('owner-email');
  expect(await runJson(['completion', shell])).toEqual({ code: 0, data: { shell, script: stdout.trimEnd() } });
});

it.each(['zsh', 'fish'].filter(findProgram))('%s can parse its script', async (shell) => {
  const file = join(temporaryDir(), 'completion');
  writeFileSync(file, (await run(['completion', shell])).stdout);
  execFileSync(shell, ['-n', file]);
});

describe.runIf(findProgram('bash'))('in bash', () => {
  const file = join(temporaryDir(), 'completion.bash');
  beforeAll(async () => {
    writeFileSync(file, (await run(['completion', 'bash'])).stdout);
  });

  function complete(...words: string[]): string[] {
    const script = `source ${file}; COMP_WORDS=(tramontane "$@"); COMP_CWORD=$#; _tramontane; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', script, 'bash', ...words], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
      .split('\n')
      .filter(Boolean);
  }

  it.each([
    [['do'], ['doctor']],
    [[''], expect.arrayContaining(['start', 'keys', 'completion', '--help'])],
    [
      ['keys', ''],
      ['create', 'list', 'revoke', '--help'],
    ],
    [['keys', 'create', '--w'], ['--workspace']],
    [['keys', 'list', '--w'], []],
    [
      ['orgs', 'create', '--plan', ''],
      ['free', 'team', 'enterprise'],
    ],
    [['orgs', 'create', '--plan', 'free', '--na'], ['--name']],
    [['start', '--config', ''], []],
    [['completion', 'z'], ['zsh']],
    [['backup', '--j'], ['--json']],
  ])('%j completes to %j', (words, expected) => {
    expect(complete(...words)).toEqual(expected);
  });
});

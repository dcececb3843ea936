import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { runHere } from '../run-here-for-tests.ts';

describe('init', () => {
  it('writes the example project, and leaves alone what is there', async () => {
    const dir = join(temporaryDir(), 'desk');
    const { code, data, stdout } = await runHere(['init', dir], {});
    expect({ code, data }).toEqual({
      code: 0,
      data: { dir, files: ['README.md', 'ask.mjs', 'package.json', join('workflows', 'support-agent.ts')] },
    });
    expect(stdout).toContain(`npx tramontane start --workflows ${dir}`);
    expect(JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')).dependencies).toHaveProperty([
      '@tramontane/workflows',
    ]);
    const second = await runHere(['init', dir], {});
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') });
  });
});

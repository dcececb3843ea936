import { describe, expect, it } from 'vitest';
import { version } from '../../config/version.ts';
import { run, runJson } from '../run-for-tests.ts';

describe('version', () => {
  it.each([[['version']], [['--version']], [['-v']]])('%j prints it', async (args) => {
    expect(await run(args)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('as JSON comes with the version of Node', async () => {
    expect(await runJson(['version'])).toEqual({ code: 0, data: { version, node: process.version } });
  });
});

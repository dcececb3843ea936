import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtPackage, launcherFile, runsSources, scriptFile } from '../../test/support/programs.ts';
import { ROOT } from './layout.ts';
import { SCRIPTS } from './scripts-for-tests.ts';

describe.skipIf(runsSources())('programs that tests start', () => {
  it('come from a built package with source maps, which has no script of a test in it', () => {
    expect(launcherFile()).toBe(join(builtPackage(), 'bin/tramontane.js'));
    expect(existsSync(join(builtPackage(), 'src'))).toBe(false);
    expect(existsSync(join(builtPackage(), 'dist/cli/main.js.map'))).toBe(true);
    const files = readdirSync(builtPackage(), { recursive: true, encoding: 'utf8' });
    expect(files.filter((file) => /serve-platform|notes-server/.test(file))).toEqual([]);
  });

  it.each(SCRIPTS)('%s has a bundle with a source map', (script) => {
    const source = join(ROOT, script);
    expect(existsSync(source)).toBe(true);
    const bundle = scriptFile(source);
    expect(bundle).not.toBe(source);
    expect([existsSync(bundle), existsSync(`${bundle}.map`)]).toEqual([true, true]);
  });

  it('run from their sources where they have no bundle', () => {
    const script = join(ROOT, 'test/crash/fixtures/commit-rows.ts');
    expect(scriptFile(script)).toBe(script);
  });

  it('are built once for each state of the sources', () => {
    const folder = dirname(builtPackage());
    const madeAt = statSync(folder).mtimeMs;
    const again = execFileSync(process.execPath, [join(ROOT, 'quality/build/build-for-tests.ts')], {
      encoding: 'utf8',
    });
    expect([again, statSync(folder).mtimeMs]).toEqual([folder, madeAt]);
  });
});

it('programs run from their sources outside a test run', () => {
  const code = `import { launcherFile, scriptFile } from './test/support/programs.ts';
    console.log(launcherFile()); console.log(scriptFile(process.cwd() + '/${SCRIPTS[0]}'));`;
  const { VITEST: _, ...env } = process.env;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
  });
  expect(said.trim().split('\n')).toEqual([join(ROOT, 'bin/tramontane.js'), join(ROOT, SCRIPTS[0] ?? '')]);
});

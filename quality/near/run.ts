import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readSources } from '../../test/architecture/read-sources.ts';
import { ROOT } from '../build/layout.ts';
import { findChangedFiles } from './changed-files.ts';
import { chooseTests } from './choose-tests.ts';

const HELP = `npm run test:near -- [<git ref>] [--list]

Runs the tests that are near to what changed since the last common commit with the git ref, committed or not:
  - the tests of the changed rooms, and changed tests themselves
  - the quick tests of the rooms that import a changed room; where more than six do, a sample instead
  - quick tests that import a changed file, the tests in test/ that are named after a changed room, and test/architecture
  - test/docs where a page changed, or a file outside of all sources, such as package.json
The default is upstream/main, origin/main or main, the first that exists. --list prints the files and why, and runs nothing.
What it leaves out, npm test runs: rooms two imports away, and tests of other rooms that start programs, models or a browser.`;

try {
  const { values, positionals } = parseArgs({
    options: { list: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
    allowPositionals: true,
  });
  if (values.help) console.log(HELP);
  else process.exitCode = runNearTests(positionals[0], values.list);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}

function runNearTests(ref: string | undefined, isListOnly: boolean): number {
  const changed = findChangedFiles(ROOT, ref);
  const tests = changed.length > 0 ? chooseTests(changed, readSources(ROOT)) : new Map<string, string>();
  const reasons = Map.groupBy(tests, ([, reason]) => reason);
  console.log(`${changed.length} changed files, ${tests.size} files of tests`);
  for (const [reason, group] of reasons) {
    console.log(`  ${reason}: ${group.length}`);
    if (isListOnly) for (const [path] of group) console.log(`    ${path}`);
  }
  if (isListOnly || tests.size === 0) return 0;
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  return spawnSync(process.execPath, [vitest, 'run', ...tests.keys()], { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
}

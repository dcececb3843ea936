import { cpSync, existsSync, readdirSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { CommandFailure, explainFile } from '../../operator/command-failure.ts';
import type { Context, ExitCode } from '../shell/command.ts';
import { quoteForShell } from '../shell/quote-for-shell.ts';

const EXAMPLE = resolve(import.meta.dirname, '../../../packages/workflows/example');

/** Writes the example project; nothing that is there is touched. */
export async function init({ args, output }: Context): Promise<ExitCode> {
  const name = args.optionalParameter('dir') ?? 'my-workflows';
  const dir = resolve(name);
  if (existsSync(dir) && readdirSync(dir).length > 0)
    throw new CommandFailure(`${dir} is not empty. Name a folder that is empty or not there yet.`);
  try {
    cpSync(EXAMPLE, dir, { recursive: true });
  } catch (error) {
    throw explainFile(error, `Writing to ${dir}`);
  }
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, resolve(entry.parentPath, entry.name)))
    .sort();
  const place = quoteForShell(name);
  output.result(
    { dir, files },
    [
      `${dir} has an agent whose answers a person approves: ${files.join(', ')}`,
      '',
      'Start the platform with it, in one terminal:',
      `  npx tramontane start --workflows ${place}`,
      'and ask it something, in another:',
      '  export TRAMONTANE_API_KEY=<the key that the first start printed>',
      `  node ${place}/ask.mjs "Do you repair bicycles on Saturdays?"`,
    ].join('\n'),
  );
  return 0;
}

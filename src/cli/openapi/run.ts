import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { documentedRoutes, openApiOf } from '../../app.ts';
import { packageFile } from '../../kit/base/locations.ts';
import { CommandFailure, explainFile } from '../../operator/command-failure.ts';
import type { Context } from '../shell/command.ts';

const COMMITTED = packageFile('openapi/openapi.json');

export async function openapi({ args, output }: Context): Promise<undefined> {
  const file = resolve(args.text('file') ?? COMMITTED);
  const routes = documentedRoutes();
  const text = `${JSON.stringify(openApiOf(routes), null, 2)}\n`;
  const committed = await readFile(file, 'utf8').catch(() => undefined);
  const operations = routes.filter(({ hidden }) => !hidden).length;
  if (args.flag('check')) {
    if (committed !== text) {
      throw new CommandFailure(`${file} does not match the routes. Regenerate it with: npx tramontane openapi`);
    }
    output.result({ file, operations, current: true }, `${file} is up to date (${operations} operations).`);
    return;
  }
  await write(file, text);
  output.result(
    { file, operations, changed: committed !== text },
    `${file} ${committed === text ? 'was up to date' : 'written'} (${operations} operations).`,
  );
}

async function write(file: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  } catch (error) {
    throw explainFile(error, `Writing ${file}`);
  }
}

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Mistral } from '@mistralai/mistralai';

/** A function of an SDK as its user writes it, and the operations that it calls. */
export type SdkFunction = { name: string; operations: string[] };

export type Surface = { language: 'TypeScript' | 'Python'; version: string; functions: SdkFunction[] };

export const PACKAGE = dirname(createRequire(import.meta.url).resolve('@mistralai/mistralai/package.json'));
const WALK_PYTHON = fileURLToPath(new URL('./python/surface.py', import.meta.url));

/** Every method of the client and of its sub-clients, with the operations in its source. */
export function typescriptSurface(): Surface {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
  return { language: 'TypeScript', version, functions: walk(new Mistral({ apiKey: 'none' }), '', readFuncs()) };
}

export function pythonSurface(python: string): Surface {
  const printed = execFileSync(python, [WALK_PYTHON], { encoding: 'utf8', maxBuffer: 2 ** 24 });
  return { language: 'Python', ...(JSON.parse(printed) as Omit<Surface, 'language'>) };
}

function walk(client: object, prefix: string, funcs: Map<string, string>): SdkFunction[] {
  return Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(client))).flatMap(([key, property]) => {
    if (key === 'constructor') return [];
    const name = `${prefix}${key}`;
    if (property.get) return walk((client as Record<string, object>)[key] ?? {}, `${name}.`, funcs);
    // A method passes its client to the one function that sends the request.
    const called = [...String(property.value).matchAll(/(\w+)\(this\b/g)].map(([, func]) => funcs.get(func ?? ''));
    return [{ name, operations: called.filter((operation) => operation !== undefined) }];
  });
}

/** The functions that send, each with its method and path. */
function readFuncs(): Map<string, string> {
  const dir = join(PACKAGE, 'esm', 'funcs');
  const files = readdirSync(dir).filter((file) => file.endsWith('.js'));
  return new Map(
    files.map((file) => {
      const source = readFileSync(join(dir, file), 'utf8');
      const path = /pathToFunc\(\s*"([^"#]+)/.exec(source)?.[1];
      const method = /method: "(\w+)"/.exec(source)?.[1];
      if (!path || !method) throw new Error(`${file} of the TypeScript SDK does not show what it sends.`);
      return [file.slice(0, -'.js'.length), `${method} ${path}`];
    }),
  );
}

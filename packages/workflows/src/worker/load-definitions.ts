import { existsSync, readdirSync, statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AnyStep, AnyWorkflow } from '../definitions.ts';
import { clearRegistry, registry } from '../registry.ts';

const SOURCE = /(?<!\.d|\.test|\.spec)\.(?:ts|mts|js|mjs)$/;

/** A file of the project is invalid; the message says which and why. */
export class BadProject extends Error {}

/** Imports a project's files and returns their definitions. */
export async function loadDefinitions(
  dir: string,
): Promise<{ workflows: AnyWorkflow[]; steps: AnyStep[]; files: string[] }> {
  const files = findSources(dir);
  if (files.length === 0) throw new BadProject(`There is no .ts, .mts, .js or .mjs file in ${dir}.`);
  resolveOurselves();
  clearRegistry();
  for (const file of files) {
    try {
      await import(pathToFileURL(file).href);
    } catch (error) {
      throw new BadProject(`${file} could not be loaded: ${(error as Error).message}`, { cause: error });
    }
  }
  const { workflows, steps, conflicts } = registry();
  if (conflicts.length > 0) throw new BadProject(conflicts.join(' '));
  if (workflows.size === 0) throw new BadProject(`No file in ${dir} defines a workflow with defineWorkflow.`);
  return { workflows: [...workflows.values()], steps: [...steps.values()], files };
}

/** A file, all files of a folder, or those of its `workflows` folder. */
export function findSources(dir: string): string[] {
  const path = resolve(dir);
  if (!existsSync(path)) throw new BadProject(`${dir} does not exist.`);
  if (statSync(path).isFile()) return [path];
  const inner = join(path, 'workflows');
  const isProject = existsSync(join(path, 'package.json')) && existsSync(inner) && statSync(inner).isDirectory();
  return listSources(isProject ? inner : path);
}

function listSources(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(dir, entry.name);
      if (entry.isDirectory())
        return entry.name === 'node_modules' || entry.name.startsWith('.') ? [] : listSources(path);
      return SOURCE.test(entry.name) ? [path] : [];
    });
}

const OURS = /^(?:@tramontane\/workflows|zod|ajv)(?:\/|$)/;
let isResolving = false;

/** Projects without node_modules get this package and Zod from the worker. */
function resolveOurselves(): void {
  if (isResolving) return;
  isResolving = true;
  registerHooks({
    resolve(specifier, context, next) {
      if (!OURS.test(specifier)) return next(specifier, context);
      try {
        return next(specifier, context);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
  });
}

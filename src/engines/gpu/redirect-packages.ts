import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { packageEntry } from './installed.ts';
import { GPU_KINDS, GPU_SCOPE } from './packages.ts';

/**
 * From now on this process finds the GPU packages of node-llama-cpp in the data dir. It imports them by name and has no
 * setting for their place; what is not installed there is looked up as usual.
 */
export function redirectPackages(gpuDir: string): void {
  registerHooks({
    resolve(specifier, context, next) {
      const name = specifier.startsWith(`${GPU_SCOPE}/`) ? specifier.slice(GPU_SCOPE.length + 1) : undefined;
      if (name === undefined || !/^[a-z0-9-]+$/.test(name)) return next(specifier, context);
      const found = GPU_KINDS.map((kind) => packageEntry(gpuDir, kind, name)).find((path) => existsSync(path));
      return found
        ? { url: pathToFileURL(found).href, format: 'module', shortCircuit: true }
        : next(specifier, context);
    },
  });
}

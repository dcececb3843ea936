import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { LAUNCHER, placesOf, type ServiceInput } from './plan-service.ts';

/** The file of a service, and whether it starts this installation. */
export function findService(input: ServiceInput) {
  const file = join(input.root, placesOf(input).file);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  return { file, installed: text !== undefined, is_this_installation: text?.includes(realpathSync(LAUNCHER)) ?? false };
}

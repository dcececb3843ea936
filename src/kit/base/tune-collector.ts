import { setFlagsFromString } from 'node:v8';

/**
 * Young garbage is collected on the main thread alone. What survives a collection here is little, and on a single core
 * the helper threads cost more CPU than they save: between 2 and 20 % of a chat, in runs that varied as much.
 */
export function tuneCollector(): void {
  setFlagsFromString('--no-parallel-scavenge');
}

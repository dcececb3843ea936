import { isSafeName } from './safe-name.ts';
import type { SandboxFile, SandboxLimits, SandboxRequest, SandboxResult } from './sandbox.ts';

/** Of everything in the working directory what is new or changed and may leave it. */
export function gatherFiles(
  found: Iterable<SandboxFile>,
  { files: given = [] }: SandboxRequest,
  { filesMax }: SandboxLimits,
): Pick<SandboxResult, 'files' | 'filesLeftOut'> {
  const before = new Map(given.map(({ name, content }) => [name, content]));
  const changed = [...found].filter(({ name, content }) => !isSame(before.get(name), content));
  const kept = changed
    .filter(({ name }) => isSafeName(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .slice(0, filesMax);
  return { files: kept, filesLeftOut: changed.length - kept.length };
}

function isSame(before: Uint8Array | undefined, after: Uint8Array): boolean {
  return before !== undefined && Buffer.compare(before, after) === 0;
}

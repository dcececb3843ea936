import type { Command } from '../shell/command.ts';
import { REGISTRY_NAME, SERVER } from '../shell/shared-options.ts';

/** The `diff` command of a registry; prompts and skills share it. */
export function declareDiff(noun: 'prompt' | 'skill'): Command {
  return {
    name: 'diff',
    summary: `show the changes between two versions of a ${noun}`,
    parameters: [
      REGISTRY_NAME,
      { name: 'from', summary: 'a version number or an alias' },
      { name: 'to', summary: 'another version number, or an alias such as latest' },
    ],
    options: SERVER,
    examples: [
      `${noun}s diff ${noun === 'skill' ? 'release-notes' : 'greeting'} 3 4`,
      `${noun}s diff greeting production latest`,
    ],
    run: async (context) => (await import('./diff-versions.ts')).diffVersions(context, noun),
  };
}

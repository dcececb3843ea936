import type { Command } from '../shell/command.ts';
import { REGISTRY_NAME, SERVER } from '../shell/shared-options.ts';

export const exportCommand: Command = {
  name: 'export',
  summary: 'write the prompts, skills and agents of the workspace to a folder that suits git',
  parameters: [{ name: 'dir', summary: 'a new folder, or an earlier export' }],
  options: {
    documents: { summary: 'also libraries with the originals of their documents, and search indexes' },
    'all-versions': { summary: 'every version by number, not only the latest and those with an alias' },
    ...SERVER,
  },
  examples: ['export workspace', 'export backup --all-versions --documents'],
  run: async (context) => (await import('./run.ts')).exportWorkspace(context),
};

export const importCommand: Command = {
  name: 'import',
  summary: 'import a folder into the workspace: an export, or skills of .claude, .vibe or .agents',
  parameters: [{ name: 'dir', summary: 'an export, a project, a folder of skills, or a single skill' }],
  options: {
    share: { summary: 'share skills that come from elsewhere with the workspace (default: private)' },
    'dry-run': { summary: 'only show what would change' },
    ...SERVER,
  },
  examples: ['import workspace', 'import . --share --dry-run', 'import ~/.claude/skills'],
  run: async (context) => (await import('./run.ts')).importWorkspace(context),
};

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
    examples: [
      `${noun}s diff ${noun === 'skill' ? 'release-notes' : 'greeting'} 3 4`,
      `${noun}s diff greeting production latest`,
    ],
    run: async (context) => (await import('./diff-versions.ts')).diffVersions(context, noun),
  };
}

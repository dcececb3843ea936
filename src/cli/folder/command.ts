import type { Command } from '../shell/command.ts';
import { SERVER } from '../shell/shared-options.ts';

export const exportCommand: Command = {
  name: 'export',
  summary: 'write the prompts, skills and agents of the workspace to a folder that suits git',
  parameters: [{ name: 'dir', summary: 'a new folder, or an earlier export' }],
  options: {
    'all-versions': { summary: 'every version by number, not only the latest and those with an alias' },
    ...SERVER,
  },
  examples: ['export workspace', 'export backup --all-versions'],
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

import type { Command, CommandGroup, Option } from '../shell/command.ts';

/** Where the server is; these commands speak HTTP with the key in TRAMONTANE_API_KEY. */
const SERVER = {
  url: { summary: 'where the server is, instead of TRAMONTANE_URL', value: '<url>' },
} as const satisfies Record<string, Option>;

const NAME = { name: 'name', summary: 'its name or id' };

function diffOf(noun: 'prompt' | 'skill'): Command {
  return {
    name: 'diff',
    summary: `what changed between two versions of a ${noun}`,
    parameters: [
      NAME,
      { name: 'from', summary: 'the number of a version, or an alias' },
      { name: 'to', summary: 'the number of another, or an alias such as latest' },
    ],
    options: SERVER,
    examples: [
      `${noun}s diff ${noun === 'skill' ? 'release-notes' : 'greeting'} 3 4`,
      `${noun}s diff greeting production latest`,
    ],
    run: async (context) => (await import('./diff-versions.ts')).diffVersions(context, noun),
  };
}

export const prompts: CommandGroup = {
  name: 'prompts',
  summary: 'the prompts of a workspace; the server must be running',
  commands: [
    {
      name: 'list',
      summary: 'the prompts that the key may see',
      options: SERVER,
      examples: ['prompts list', 'prompts list --json'],
      run: async (context) => (await import('../prompts/run.ts')).listPrompts(context),
    },
    {
      name: 'show',
      summary: 'one prompt: its newest version, or another',
      parameters: [NAME],
      options: {
        version: { summary: 'the version with this number', value: '<number>' },
        alias: { summary: 'the version that this alias points to', value: '<alias>' },
        ...SERVER,
      },
      examples: ['prompts show support-greeting', 'prompts show support-greeting --alias production'],
      run: async (context) => (await import('../prompts/run.ts')).showPrompt(context),
    },
    {
      name: 'aliases',
      summary: 'how the aliases of a prompt moved, newest first',
      parameters: [NAME],
      options: SERVER,
      examples: ['prompts aliases support-greeting'],
      run: async (context) => (await import('../prompts/run.ts')).showAliases(context),
    },
    {
      name: 'set-model',
      summary: 'choose the model that answers when the prompt is used as a model',
      parameters: [NAME, { name: 'model', summary: 'the id or alias of a model, or none' }],
      options: SERVER,
      examples: ['prompts set-model support-greeting mistral-small-latest'],
      run: async (context) => (await import('../prompts/run.ts')).setPromptModel(context),
    },
    diffOf('prompt'),
  ],
};

export const skills: CommandGroup = {
  name: 'skills',
  summary: 'the skills of a workspace, and what the intake scan does; the server must be running',
  commands: [
    {
      name: 'list',
      summary: 'list the skills that the key may see',
      options: { alias: { summary: 'only those with this alias, at that version', value: '<alias>' }, ...SERVER },
      examples: ['skills list', 'skills list --alias main'],
      run: async (context) => (await import('../skills/run.ts')).listSkills(context),
    },
    {
      name: 'show',
      summary: 'print a skill as its SKILL.md, or one of its files',
      parameters: [NAME],
      options: {
        version: { summary: 'the version with this number', value: '<number>' },
        alias: { summary: 'the version that this alias points to', value: '<alias>' },
        file: { summary: 'print this file instead', value: '<path>' },
        ...SERVER,
      },
      examples: ['skills show release-notes', 'skills show release-notes --alias main --file scripts/run.sh'],
      run: async (context) => (await import('../skills/run.ts')).showSkill(context),
    },
    diffOf('skill'),
    {
      name: 'intake',
      summary: 'whether new versions with findings of the intake scan are taken and reported, or refused',
      options: {
        policy: {
          summary: 'report or refuse; left out, only tells which',
          value: '<policy>',
          choices: ['report', 'refuse'],
        },
        ...SERVER,
      },
      examples: ['skills intake', 'skills intake --policy refuse'],
      run: async (context) => (await import('../skills/run.ts')).skillIntake(context),
    },
  ],
};

export const exportCommand: Command = {
  name: 'export',
  summary: 'write the prompts, skills and agents of the workspace into a folder, fit for git',
  parameters: [{ name: 'dir', summary: 'a new folder, or one that an earlier export wrote' }],
  options: {
    'all-versions': { summary: 'every version with its number, not only the newest and those with an alias' },
    ...SERVER,
  },
  examples: ['export workspace', 'export backup --all-versions'],
  run: async (context) => (await import('./run.ts')).exportWorkspace(context),
};

export const importCommand: Command = {
  name: 'import',
  summary: 'bring a folder into the workspace: an export, or skills of .claude, .vibe or .agents',
  parameters: [{ name: 'dir', summary: 'an export, a project, a folder of skills, or one skill' }],
  options: {
    share: { summary: 'skills that no export wrote are for the whole workspace, not private' },
    'dry-run': { summary: 'only say what would be done' },
    ...SERVER,
  },
  examples: ['import workspace', 'import . --share --dry-run', 'import ~/.claude/skills'],
  run: async (context) => (await import('./import.ts')).importWorkspace(context),
};

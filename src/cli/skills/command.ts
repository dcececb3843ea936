import { declareDiff } from '../folder/command.ts';
import type { CommandGroup } from '../shell/command.ts';
import { REGISTRY_NAME, SERVER, VERSION, withOptions } from '../shell/shared-options.ts';

export const skills: CommandGroup = {
  name: 'skills',
  summary: 'manage the skills of a workspace and the intake scan; the server must be running',
  commands: withOptions(SERVER, [
    {
      name: 'list',
      summary: 'list the skills that the key can read',
      options: { alias: { summary: 'only skills with this alias, at that version', value: '<alias>' } },
      examples: ['skills list', 'skills list --alias main'],
      run: async (context) => (await import('./run.ts')).listSkills(context),
    },
    {
      name: 'show',
      summary: 'print the SKILL.md of a skill, or one of its other files',
      parameters: [REGISTRY_NAME],
      options: { ...VERSION, file: { summary: 'print this file instead', value: '<path>' } },
      examples: ['skills show release-notes', 'skills show release-notes --alias main --file scripts/run.sh'],
      run: async (context) => (await import('./run.ts')).showSkill(context),
    },
    declareDiff('skill'),
    {
      name: 'intake',
      summary: 'show or set what happens to new versions with findings of the intake scan',
      options: {
        policy: {
          summary: 'report (accept and report) or refuse; without it, show the policy',
          value: '<policy>',
          choices: ['report', 'refuse'],
        },
      },
      examples: ['skills intake', 'skills intake --policy refuse'],
      run: async (context) => (await import('./run.ts')).skillIntake(context),
    },
  ]),
};

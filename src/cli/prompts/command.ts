import { declareDiff } from '../folder/command.ts';
import type { CommandGroup } from '../shell/command.ts';
import { REGISTRY_NAME, SERVER, VERSION, withOptions } from '../shell/shared-options.ts';

export const prompts: CommandGroup = {
  name: 'prompts',
  summary: 'manage the prompts of a workspace; the server must be running',
  commands: withOptions(SERVER, [
    {
      name: 'list',
      summary: 'list the prompts that the key can read',
      examples: ['prompts list', 'prompts list --json'],
      run: async (context) => (await import('./run.ts')).listPrompts(context),
    },
    {
      name: 'show',
      summary: 'show the latest version of a prompt, or another one',
      parameters: [REGISTRY_NAME],
      options: VERSION,
      examples: ['prompts show support-greeting', 'prompts show support-greeting --alias production'],
      run: async (context) => (await import('./run.ts')).showPrompt(context),
    },
    {
      name: 'aliases',
      summary: 'show the alias history of a prompt, newest first',
      parameters: [REGISTRY_NAME],
      examples: ['prompts aliases support-greeting'],
      run: async (context) => (await import('./run.ts')).showAliases(context),
    },
    {
      name: 'set-model',
      summary: 'set the model to use when the prompt is called as a model',
      parameters: [REGISTRY_NAME, { name: 'model', summary: 'the id or alias of a model, or none' }],
      examples: ['prompts set-model support-greeting mistral-small-latest'],
      run: async (context) => (await import('./run.ts')).setPromptModel(context),
    },
    declareDiff('prompt'),
  ]),
};

import type { CommandGroup } from '../shell/command.ts';
import { ORGANIZATION, PLATFORM } from '../shell/shared-options.ts';

export const classifiers: CommandGroup = {
  name: 'classifiers',
  summary: 'train classifiers on labelled examples',
  commands: [
    {
      name: 'train',
      summary: 'train a classifier, and print its figures on examples that were held out',
      parameters: [{ name: 'file', summary: 'JSONL with a text, or messages, and a label or labels per line' }],
      options: {
        name: { summary: 'its name (default: the name of the file)', value: '<name>' },
        model: { summary: 'the embedding model (default: the one that search uses)', value: '<id>' },
        'held-out': { summary: 'the share of examples that is only measured on (default: 0.2)', value: '<share>' },
        seed: { summary: 'which examples are held out (default: 1)', value: '<number>' },
        workspace: { summary: 'only for this workspace (default: for all)', value: '<id|name>' },
        organization: ORGANIZATION,
        ...PLATFORM,
      },
      examples: ['classifiers train labels.jsonl', 'classifiers train labels.jsonl --name support-topics --json'],
      run: async (context) => (await import('./run.ts')).train(context),
    },
    {
      name: 'list',
      summary: 'list the trained classifiers',
      options: PLATFORM,
      examples: ['classifiers list'],
      run: async (context) => (await import('./run.ts')).list(context),
    },
    {
      name: 'rm',
      summary: 'delete a trained classifier',
      parameters: [{ name: 'id', summary: 'from classifiers list' }],
      options: PLATFORM,
      examples: ['classifiers rm support-topics'],
      run: async (context) => (await import('./run.ts')).remove(context),
    },
  ],
};

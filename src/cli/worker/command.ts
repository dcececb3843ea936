import type { Command } from '../shell/command.ts';
import { SERVER } from '../shell/shared-options.ts';

export const worker: Command = {
  name: 'worker',
  summary: 'run the workflows of a folder until Ctrl-C; the server must be running',
  parameters: [{ name: 'dir', summary: 'a folder with workflows, a project that has one, or a file' }],
  options: {
    watch: { summary: 'restart whenever a file changes; for development' },
    deployment: { summary: 'the deployment name (default: default)', value: '<name>' },
    name: { summary: 'the worker name (default: host name and process id)', value: '<name>' },
    'max-steps': { summary: 'maximum concurrent steps (default: 100)', value: '<number>' },
    'max-turns': { summary: 'maximum executions advanced concurrently (default: 200)', value: '<number>' },
    'drain-seconds': { summary: 'time that running work gets to finish on stop (default: 30)', value: '<number>' },
    ...SERVER,
  },
  examples: ['worker ./workflows', 'worker ./workflows --watch', 'worker . --deployment billing --max-steps 20'],
  run: async (context) => (await import('./run.ts')).worker(context),
};

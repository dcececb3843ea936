import type { Command } from '../shell/command.ts';

export const worker: Command = {
  name: 'worker',
  summary: 'run the workflows of a folder until Ctrl-C; the server must be running',
  parameters: [{ name: 'dir', summary: 'a folder with workflows, a project that has one, or a file' }],
  options: {
    watch: { summary: 'start anew whenever a file changes; for development' },
    deployment: { summary: 'what this code is called together; default', value: '<name>' },
    name: { summary: 'the name of this worker; the host and the process id if left out', value: '<name>' },
    'max-steps': { summary: 'steps at once (100)', value: '<number>' },
    'max-turns': { summary: 'executions that are moved on at once (200)', value: '<number>' },
    'drain-seconds': { summary: 'how long what has begun may take when it stops (30)', value: '<number>' },
    url: { summary: 'where the server is, instead of TRAMONTANE_URL', value: '<url>' },
  },
  examples: ['worker ./workflows', 'worker ./workflows --watch', 'worker . --deployment billing --max-steps 20'],
  run: async (context) => (await import('./run.ts')).worker(context),
};

export const init: Command = {
  name: 'init',
  summary: 'write an example project: an agent whose answers a person approves',
  parameters: [
    { name: 'dir', summary: 'a folder that is empty or not there; my-workflows if left out', optional: true },
  ],
  examples: ['init', 'init support-desk'],
  run: async (context) => (await import('../init/run.ts')).init(context),
};

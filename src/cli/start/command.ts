import type { Command } from '../shell/command.ts';
import { PLATFORM } from '../shell/shared-options.ts';

export const start: Command = {
  name: 'start',
  summary: 'start the server and run until Ctrl-C; the first start sets up the platform and shows its API key',
  options: {
    host: { summary: 'the address to listen on; overrides TRAMONTANE_HOST (default: 127.0.0.1)', value: '<address>' },
    port: { summary: 'the port to listen on; overrides TRAMONTANE_PORT (default: 4747)', value: '<number>' },
    processes: {
      summary: 'on PostgreSQL: how many server processes share the port; auto: one for each core (default: 1)',
      value: '<number>',
    },
    workflows: { summary: 'also run the workflows of this folder, in a separate worker process', value: '<dir>' },
    ...PLATFORM,
  },
  examples: [
    'start',
    'start --port 8080 --data-dir /srv/tramontane',
    'start --workflows ./workflows',
    'start --processes auto',
  ],
  run: async (context) => (await import('./run.ts')).start(context),
};

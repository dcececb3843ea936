import type { CommandGroup } from '../shell/command.ts';
import { SERVER, withOptions } from '../shell/shared-options.ts';

const ID = { name: 'id', summary: 'the id of the webhook' };
const PROVIDERS = ['github', 'slack', 'notion', 'linear', 'microsoft', 'ashby', 'lucca', 'custom'];

export const webhooks: CommandGroup = {
  name: 'webhooks',
  summary: 'addresses that providers post to, and the triggers that start something for it',
  commands: withOptions(SERVER, [
    {
      name: 'list',
      summary: 'list webhooks with their addresses',
      examples: ['webhooks list'],
      run: async (context) => (await import('./run.ts')).list(context),
    },
    {
      name: 'add',
      summary: 'create a webhook, and show its address and the secret that the server made',
      parameters: [
        { name: 'provider', summary: PROVIDERS.join(', ') },
        { name: 'name', summary: 'what it is called here' },
      ],
      options: { secret: { summary: 'use the secret in this environment variable', value: '<variable>' } },
      examples: ['webhooks add github "Our repository"', 'webhooks add slack Team --secret SLACK_SIGNING_SECRET'],
      run: async (context) => (await import('./run.ts')).add(context),
    },
    {
      name: 'trigger',
      summary: 'start a workflow or an agent for each delivery that a filter matches',
      parameters: [ID, { name: 'title', summary: 'what the trigger is called' }],
      options: {
        workflow: { summary: 'the name or the id of a workflow', value: '<workflow>' },
        agent: { summary: 'the id of an agent', value: '<id>' },
        filter: { summary: 'a JMESPath expression over the delivery', value: '<expression>' },
      },
      examples: ['webhooks trigger <id> "On each push" --workflow build --filter "event_type == \'push\'"'],
      run: async (context) => (await import('./run.ts')).trigger(context),
    },
    {
      name: 'deliveries',
      summary: 'list the latest deliveries of a webhook with their outcome',
      parameters: [ID],
      examples: ['webhooks deliveries <id>'],
      run: async (context) => (await import('./run.ts')).deliveries(context),
    },
    {
      name: 'remove',
      summary: 'delete a webhook with its triggers',
      parameters: [ID],
      examples: ['webhooks remove <id>'],
      run: async (context) => (await import('./run.ts')).remove(context),
    },
  ]),
};

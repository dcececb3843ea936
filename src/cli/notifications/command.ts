import type { CommandGroup } from '../shell/command.ts';
import { SERVER, withOptions } from '../shell/shared-options.ts';

const ID = { name: 'id', summary: 'the id of the endpoint' };

export const notifications: CommandGroup = {
  name: 'notifications',
  summary: 'addresses that are told what happens on the server',
  commands: withOptions(SERVER, [
    {
      name: 'list',
      summary: 'list endpoints with their state',
      examples: ['notifications list'],
      run: async (context) => (await import('./run.ts')).list(context),
    },
    {
      name: 'add',
      summary: 'add an endpoint, and show its secret once',
      parameters: [{ name: 'address', summary: 'where messages are posted' }],
      options: { events: { summary: 'comma-separated kinds of events (default: all)', value: '<kinds>' } },
      examples: ['notifications add https://example.com/hooks --events batch.finished,budget.spent'],
      run: async (context) => (await import('./run.ts')).add(context),
    },
    {
      name: 'test',
      summary: 'send a test message',
      parameters: [ID],
      examples: ['notifications test <id>'],
      run: async (context) => (await import('./run.ts')).test(context),
    },
    {
      name: 'deliveries',
      summary: 'list the latest messages with their outcome',
      parameters: [ID],
      options: { failed: { summary: 'only those that were given up' } },
      examples: ['notifications deliveries <id> --failed'],
      run: async (context) => (await import('./run.ts')).deliveries(context),
    },
    {
      name: 'replay',
      summary: 'send a message again',
      parameters: [ID, { name: 'delivery', summary: 'the id of the delivery' }],
      examples: ['notifications replay <id> <delivery>'],
      run: async (context) => (await import('./run.ts')).replay(context),
    },
    {
      name: 'enable',
      summary: 'enable an endpoint that was disabled',
      parameters: [ID],
      examples: ['notifications enable <id>'],
      run: async (context) => (await import('./run.ts')).enable(context),
    },
    {
      name: 'remove',
      summary: 'delete an endpoint with its log',
      parameters: [ID],
      examples: ['notifications remove <id>'],
      run: async (context) => (await import('./run.ts')).remove(context),
    },
  ]),
};

import type { Command } from '../shell/command.ts';
import { SERVER } from '../shell/shared-options.ts';

export const chat: Command = {
  name: 'chat',
  summary: 'chat with a model in the terminal; the server must be running',
  options: {
    model: { summary: 'its id or alias (default: the first chat model)', value: '<id>' },
    message: { summary: 'send this message, print the reply and exit', value: '<text>' },
    system: { summary: 'the system prompt', value: '<text>' },
    ...SERVER,
  },
  examples: ['chat', 'chat --message "Say hello."'],
  run: async (context) => (await import('./run.ts')).chat(context),
};

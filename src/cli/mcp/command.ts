import type { CommandGroup } from '../shell/command.ts';
import { SERVER } from '../shell/shared-options.ts';

const CLIENTS = ['claude', 'cursor', 'vscode', 'vibe'];

export const mcp: CommandGroup = {
  name: 'mcp',
  summary: 'connect clients to the MCP server',
  commands: [
    {
      name: 'config',
      summary: 'print the configuration with which a client uses the MCP server',
      parameters: [{ name: 'client', summary: CLIENTS.join(', '), choices: CLIENTS }],
      options: {
        ...SERVER,
        'with-key': { summary: 'include the key in TRAMONTANE_API_KEY instead of a reference to it' },
      },
      examples: ['mcp config claude', 'mcp config vscode --url https://ai.example.com'],
      run: async (context) => (await import('./run.ts')).printMcpConfig(context),
    },
  ],
};

import type { CommandGroup } from '../shell/command.ts';
import { PLATFORM, SERVER, withOptions } from '../shell/shared-options.ts';

const NAME = { name: 'name', summary: 'the name or the id of the connector' };
const CREDENTIALS = { summary: 'use the stored credentials of this name', value: '<name>' };

export const connectors: CommandGroup = {
  name: 'connectors',
  summary: 'tools of other servers: those of the configuration, and those that users stored',
  commands: [
    ...withOptions({ ...PLATFORM, ...SERVER }, [
      {
        name: 'list',
        summary: 'list connectors of the configuration with the names of their headers, never the values',
        options: { stored: { summary: 'list what the key sees on the running server instead' } },
        examples: ['connectors list', 'connectors list --json', 'connectors list --stored'],
        run: async (context) => (await import('./run.ts')).list(context),
      },
      {
        name: 'test',
        summary: 'connect to each connector of the configuration as a run would, and list its tools',
        options: {
          id: { summary: 'only this connector', value: '<id>' },
          stored: { summary: 'ask the running server to test those that the key sees instead' },
        },
        examples: ['connectors test', 'connectors test --id wiki', 'connectors test --stored --id wiki'],
        run: async (context) => (await import('./run.ts')).test(context),
      },
    ]),
    ...withOptions(SERVER, [
      {
        name: 'add',
        summary: 'store a connector: an MCP server, or an HTTP API with its OpenAPI document',
        parameters: [NAME, { name: 'url', summary: 'the address of the server' }],
        options: {
          description: { summary: 'what it is for', value: '<text>' },
          openapi: { summary: 'a file or an address; the connector is an HTTP API then', value: '<document>' },
          share: { summary: 'who may use it', value: '<whom>', choices: ['workspace', 'organization'] },
        },
        examples: [
          'connectors add wiki https://wiki.example.com/mcp --share workspace',
          'connectors add weather https://api.example.com --openapi openapi.json',
        ],
        run: async (context) => (await import('./stored.ts')).add(context),
      },
      {
        name: 'login',
        summary: 'sign in with the browser, or store a token that a variable holds',
        parameters: [NAME],
        options: {
          bearer: { summary: 'store the token in this environment variable', value: '<variable>' },
          basic: { summary: 'store the user:password in this environment variable', value: '<variable>' },
          header: {
            summary: 'store a header whose value is in a variable: X-Api-Key=WIKI_KEY',
            value: '<name=variable>',
          },
          scope: {
            summary: 'for whom (default: user)',
            value: '<scope>',
            choices: ['user', 'workspace', 'organization'],
          },
          credentials: { summary: 'the name of the credentials (default: default)', value: '<name>' },
        },
        examples: ['connectors login wiki', 'connectors login wiki --bearer WIKI_TOKEN --scope workspace'],
        run: async (context) => (await import('./stored.ts')).login(context),
      },
      {
        name: 'tools',
        summary: 'list the tools of a connector, and those that are held back',
        parameters: [NAME],
        options: { credentials: CREDENTIALS },
        examples: ['connectors tools wiki'],
        run: async (context) => (await import('./stored.ts')).tools(context),
      },
      {
        name: 'call',
        summary: 'call a tool',
        parameters: [NAME, { name: 'tool', summary: 'the name of the tool' }],
        options: {
          arguments: { summary: 'its arguments as a JSON object', value: '<json>' },
          credentials: CREDENTIALS,
        },
        examples: [`connectors call wiki search --arguments '{"text":"wind"}'`],
        run: async (context) => (await import('./stored.ts')).call(context),
      },
      {
        name: 'remove',
        summary: 'delete a connector with all its credentials',
        parameters: [NAME],
        examples: ['connectors remove wiki'],
        run: async (context) => (await import('./stored.ts')).remove(context),
      },
    ]),
  ],
};

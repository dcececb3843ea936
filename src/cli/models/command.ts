import type { Command, CommandGroup } from '../shell/command.ts';
import { ORGANIZATION, PLATFORM } from '../shell/shared-options.ts';
import { PRESETS } from './presets.ts';

/** Here and not imported, because the list of commands loads nothing; a test compares them. */
const KINDS = ['chat', 'code', 'embeddings', 'moderation', 'ocr', 'reranking', 'speech', 'transcription'];

export const models: CommandGroup = {
  name: 'models',
  summary: 'manage model servers, downloaded weights and fine-tuned models',
  commands: [
    {
      name: 'catalog',
      summary: 'list the models available by name: licence, size, memory, speed and sources',
      examples: ['models catalog', 'models catalog --json'],
      run: async (context) => (await import('./run.ts')).showCatalogue(context),
    },
    {
      name: 'list',
      summary: 'list the weights in the models directory',
      options: PLATFORM,
      examples: ['models list'],
      run: async (context) => (await import('./run.ts')).listModels(context),
    },
    {
      name: 'rm',
      summary: 'delete weights from the models directory',
      parameters: [{ name: 'id', summary: 'from models list' }],
      options: PLATFORM,
      examples: ['models rm smollm2-135m-instruct'],
      run: async (context) => (await import('./run.ts')).removeWeightsOf(context),
    },
    {
      name: 'add',
      summary: 'register an adapter or weights as a fine-tuned model of a workspace',
      options: {
        base: { summary: 'the configured llama model it derives from', value: '<id>' },
        adapter: { summary: 'a LoRA adapter as GGUF', value: '<file>' },
        file: { summary: 'full weights as GGUF', value: '<file>' },
        name: { summary: 'its display name', value: '<text>' },
        workspace: { summary: 'the workspace that owns it; required if there are several', value: '<id|name>' },
        organization: ORGANIZATION,
        ...PLATFORM,
      },
      examples: ['models add --base smollm2-135m-instruct --adapter ./support.gguf --name Support'],
      run: async (context) => (await import('./run.ts')).addModel(context),
    },
    {
      name: 'connect',
      summary: 'serve a model of another server; it is stored in the database, and no restart is needed',
      parameters: [{ name: 'id', summary: 'its name here' }],
      options: {
        preset: { summary: 'the kind of server, for its usual address', value: '<name>', choices: PRESETS },
        url: { summary: 'the address of the server; it usually ends in /v1', value: '<address>' },
        model: { summary: 'its name on that server (default: the same)', value: '<name>' },
        key: { summary: 'store the API key in this environment variable', value: '<variable>' },
        private: { summary: 'the server is on this machine or in a private network' },
        kind: { summary: 'what it does (default: chat)', value: '<kind>', choices: KINDS },
        aliases: { summary: 'other names for it', value: '<a,b>' },
        context: { summary: 'its context in tokens', value: '<tokens>' },
        'price-input': { summary: 'the price of a million tokens of input', value: '<amount>' },
        'price-output': { summary: 'the price of a million tokens of output', value: '<amount>' },
        'requests-per-minute': {
          summary: 'what it takes in a minute from all callers (default: no limit)',
          value: '<n>',
        },
        'tokens-per-minute': { summary: 'the same in tokens (default: no limit)', value: '<n>' },
        ...PLATFORM,
      },
      examples: [
        'models connect llama3.2 --preset ollama',
        'models connect gpt --preset openai --model gpt-5 --key OPENAI_API_KEY --aliases best',
      ],
      run: async (context) => (await import('./connected.ts')).connect(context),
    },
    {
      name: 'disconnect',
      summary: 'remove a model that was stored with connect or in the console',
      parameters: [{ name: 'id', summary: 'from models served' }],
      options: PLATFORM,
      examples: ['models disconnect gpt'],
      run: async (context) => (await import('./connected.ts')).disconnect(context),
    },
    {
      name: 'served',
      summary: 'list the models of the file, of the database and of the program, and why one is not served',
      options: PLATFORM,
      examples: ['models served', 'models served --json'],
      run: async (context) => (await import('./connected.ts')).showManaged(context),
    },
  ],
};

export const pull: Command = {
  name: 'pull',
  summary: 'download the weights of a model; resumes an interrupted download',
  parameters: [{ name: 'model', summary: 'an id from models catalog, a path, an https URL or owner/name:file.gguf' }],
  options: { sha256: { summary: 'reject the file unless it has this checksum', value: '<hex>' }, ...PLATFORM },
  examples: ['pull smollm2-135m-instruct', 'pull https://example.com/model.gguf --sha256 0123…'],
  run: async (context) => (await import('./run.ts')).pull(context),
};

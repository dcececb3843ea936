import type { Command, CommandGroup } from '../shell/command.ts';
import { ORGANIZATION, PLATFORM } from '../shell/shared-options.ts';

export const models: CommandGroup = {
  name: 'models',
  summary: 'manage downloaded weights and fine-tuned models',
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

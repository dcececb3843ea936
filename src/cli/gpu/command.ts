import type { CommandGroup, Parameter } from '../shell/command.ts';
import { PLATFORM } from '../shell/shared-options.ts';

const KIND: Parameter = { name: 'kind', summary: 'cuda or vulkan', choices: ['cuda', 'vulkan'], optional: true };

export const gpu: CommandGroup = {
  name: 'gpu',
  summary: 'let models run on a graphics card',
  byDefault: 'status',
  commands: [
    {
      name: 'status',
      summary: 'show the GPUs of this machine, what is installed for them and which device serves',
      options: PLATFORM,
      examples: ['gpu status', 'gpu --json'],
      run: async (context) => (await import('./run.ts')).showStatus(context),
    },
    {
      name: 'install',
      summary: 'download the engine for the GPU into the data directory; without a GPU it changes nothing',
      parameters: [KIND],
      options: { force: { summary: 'install it although no usable GPU was found' }, ...PLATFORM },
      examples: ['gpu install', 'gpu install vulkan'],
      run: async (context) => (await import('./run.ts')).install(context),
    },
    {
      name: 'uninstall',
      summary: 'delete what gpu install downloaded',
      parameters: [KIND],
      options: PLATFORM,
      examples: ['gpu uninstall', 'gpu uninstall cuda'],
      run: async (context) => (await import('./run.ts')).uninstall(context),
    },
  ],
};

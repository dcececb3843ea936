import type { Command } from '../shell/command.ts';
import { PLATFORM } from '../shell/shared-options.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'check the prerequisites of a start and suggest fixes',
  options: PLATFORM,
  examples: ['doctor', 'doctor --json'],
  run: async (context) => (await import('./run.ts')).doctor(context),
};

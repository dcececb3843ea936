import type { Command } from '../shell/command.ts';

export const completion: Command = {
  name: 'completion',
  summary: 'print a completion script for a shell',
  parameters: [{ name: 'shell', summary: 'bash, zsh or fish', choices: ['bash', 'zsh', 'fish'] }],
  examples: ['completion bash > ~/.local/share/bash-completion/completions/tramontane', 'completion fish | source'],
  run: async (context) => (await import('./run.ts')).completion(context),
};

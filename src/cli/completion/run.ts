import type { Context } from '../shell/command.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { type Completion, listCompletions } from './list-completions.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS: Record<string, (completions: Completion[]) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export async function completion({ args, output, table }: Context): Promise<undefined> {
  const shell = args.parameter('shell');
  const script = SCRIPTS[shell]?.(listCompletions(table)) ?? '';
  output.result({ shell, script }, script);
}

import type { Context, ExitCode } from '../command.ts';
import { bashScript } from '../completion/bash.ts';
import { fishScript } from '../completion/fish.ts';
import { completionPlaces, type Place } from '../completion/places.ts';
import { zshScript } from '../completion/zsh.ts';

const SCRIPTS: Record<string, (places: Place[]) => string> = { bash: bashScript, zsh: zshScript, fish: fishScript };

export async function completion({ args, output, table }: Context): Promise<ExitCode> {
  const shell = args.parameter('shell');
  const script = SCRIPTS[shell]?.(completionPlaces(table)) ?? '';
  output.result({ shell, script }, script);
  return 0;
}

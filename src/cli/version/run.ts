import { version } from '../../config/version.ts';
import type { Context, ExitCode } from '../shell/command.ts';

export async function printVersion({ output }: Context): Promise<ExitCode> {
  output.result({ version, node: process.version }, version);
  return 0;
}

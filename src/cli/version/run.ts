import { version } from '../../config/version.ts';
import type { Context } from '../shell/command.ts';

export async function printVersion({ output }: Context): Promise<undefined> {
  output.result({ version, node: process.version }, version);
}

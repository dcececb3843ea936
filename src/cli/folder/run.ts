import { explainFile } from '../../operator/command-failure.ts';
import { openApi } from '../shell/api-client.ts';
import type { Context, ExitCode } from '../shell/command.ts';
import { exportFolder } from './export-folder.ts';
import { formatCount } from '../shell/format-table.ts';

/** The prompts, skills and agents that the key may see, as a folder of readable files. */
export async function exportWorkspace(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const dir = args.parameter('dir');
  const exported = await exportFolder(openApi(context), dir, {
    allVersions: args.flag('all-versions'),
    onProgress: (done, name) => output.progress(`${done} exported, last ${name}`),
  }).catch((error: unknown) => {
    throw explainFile(error, 'The export');
  });
  const count = (noun: string) => exported.filter((object) => object.noun === noun).length;
  const versions = exported.reduce((sum, object) => sum + object.versions, 0);
  output.result(
    { dir, prompts: count('prompt'), skills: count('skill'), agents: count('agent'), versions, objects: exported },
    `${formatCount(count('prompt'), 'prompt')}, ${formatCount(count('skill'), 'skill')} and ${formatCount(count('agent'), 'agent')} (${formatCount(versions, 'version')}) are in ${dir}.`,
  );
  return 0;
}

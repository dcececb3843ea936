import { CommandFailure, explainFile } from '../../operator/command-failure.ts';
import { type ApiClient, openApi } from '../shell/api-client.ts';
import type { Context, ExitCode } from '../shell/command.ts';
import { importAgents } from './import-agents.ts';
import { type Imported, importObject } from './import-object.ts';
import { KINDS, listObjects } from './list-objects.ts';
import { type LocalFolder, readFolder } from './read-folder.ts';
import { formatCount } from '../shell/format-table.ts';

const OUTCOMES = ['created', 'updated', 'unchanged'] as const;

/** A folder into the workspace of the key. What is there already makes nothing new, so it can be run again and again. */
export async function importWorkspace(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const dir = args.parameter('dir');
  const dryRun = args.flag('dry-run');
  const folder = await readFolder(dir, args.flag('share') ? 'workspace' : 'private').catch((error: unknown) => {
    throw explainFile(error, 'Reading the folder');
  });
  if (folder.problems.length > 0) throw new CommandFailure(`Nothing was imported. ${folder.problems.join('; ')}.`);
  const { imported, failures } = await importAll(openApi(context), folder, dryRun, output.progress);

  const warnings = imported.flatMap((object) => object.warnings);
  for (const warning of warnings) output.note(`warning: ${warning}`);
  for (const failure of failures) output.note(`failed: ${failure}`);
  const counts = Object.fromEntries(
    OUTCOMES.map((outcome) => [outcome, imported.filter((object) => object.outcome === outcome).length]),
  );
  const newVersions = imported.reduce((sum, object) => sum + object.newVersions, 0);
  const objects = imported.map(({ noun, name, sharing, outcome, newVersions: versions }) => ({
    noun,
    name,
    sharing,
    outcome,
    new_versions: versions,
  }));
  const lines = imported.filter(({ outcome }) => outcome !== 'unchanged').map(describe);
  const sums = OUTCOMES.map((outcome) => `${counts[outcome]} ${outcome}`).join(', ');
  const failed = failures.length > 0 ? `, ${failures.length} failed` : '';
  const doing = dryRun ? 'Nothing was changed; this would be: ' : '';
  output.result(
    {
      dir,
      dry_run: dryRun,
      ...counts,
      new_versions: newVersions,
      failed: failures.length,
      objects,
      warnings,
      failures,
    },
    [...lines, `${doing}${sums}${failed}; ${formatCount(newVersions, 'new version')}.`].join('\n'),
  );
  return failures.length > 0 ? 1 : 0;
}

async function importAll(api: ApiClient, folder: LocalFolder, dryRun: boolean, onProgress: (text: string) => void) {
  const { objects } = folder;
  const imported: Imported[] = [];
  const failures: string[] = [];
  for (const kind of KINDS) {
    const remotes = await listObjects(api, kind);
    for (const object of objects.filter((local) => local.kind.noun === kind.noun)) {
      const name = object.versions.at(-1)?.name;
      const remote = remotes.find((known) => known.name === name && known.sharingScope === object.sharing);
      onProgress(`${imported.length + failures.length} of ${objects.length}, now ${name}`);
      try {
        imported.push(await importObject(api, object, remote, { dryRun }));
      } catch (error) {
        // One that is refused must not keep the others out; all that failed are named at the end.
        if (!(error instanceof CommandFailure)) throw error;
        failures.push(error.message);
      }
    }
  }
  const agents = await importAgents(api, folder.agents, { dryRun });
  return { imported: [...imported, ...agents.imported], failures: [...failures, ...agents.failures] };
}

function describe({ noun, name, sharing, outcome, newVersions }: Imported): string {
  const versions = newVersions > 0 ? `, ${formatCount(newVersions, 'new version')}` : '';
  return `${noun} ${name} (${sharing}): ${outcome}${versions}`;
}

import { CommandFailure, explainFile } from '../../operator/command-failure.ts';
import { type ApiClient, openApi } from '../shell/api-client.ts';
import type { Context, ExitCode } from '../shell/command.ts';
import { formatCount } from '../shell/format-table.ts';
import { exportFolder } from './export-folder.ts';
import { importAgents } from './import-agents.ts';
import { type Imported, importObject } from './import-object.ts';
import { KINDS, listObjects } from './kinds.ts';
import { type LocalFolder, readFolder } from './read-folder.ts';

const OUTCOMES = ['created', 'updated', 'unchanged'] as const;

export async function exportWorkspace(context: Context): Promise<undefined> {
  const { args, output } = context;
  const dir = args.parameter('dir');
  const exported = await exportFolder(openApi(context), dir, {
    allVersions: args.flag('all-versions'),
    onProgress: (done, name) => output.progress(`${done} exported, last ${name}`),
  }).catch((error: unknown) => {
    throw explainFile(error, 'The export');
  });
  const [prompts = 0, skills = 0, agents = 0] = ['prompt', 'skill', 'agent'].map(
    (noun) => exported.filter((object) => object.noun === noun).length,
  );
  const versions = exported.reduce((sum, object) => sum + object.versions, 0);
  output.result(
    { dir, prompts, skills, agents, versions, objects: exported },
    `Exported ${formatCount(prompts, 'prompt')}, ${formatCount(skills, 'skill')} and ${formatCount(agents, 'agent')} (${formatCount(versions, 'version')}) to ${dir}.`,
  );
}

/** Idempotent: what already exists on the server stays as it is. */
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
  const new_versions = imported.reduce((sum, object) => sum + object.newVersions, 0);
  const objects = imported.map(({ noun, name, sharing, outcome, newVersions }) => ({
    noun,
    name,
    sharing,
    outcome,
    new_versions: newVersions,
  }));
  const lines = imported.filter(({ outcome }) => outcome !== 'unchanged').map(describeImported);
  const sums = OUTCOMES.map((outcome) => `${counts[outcome]} ${outcome}`).join(', ');
  const failed = failures.length > 0 ? `, ${failures.length} failed` : '';
  const prefix = dryRun ? 'Dry run, nothing was changed: ' : '';
  output.result(
    { dir, dry_run: dryRun, ...counts, new_versions, failed: failures.length, objects, warnings, failures },
    [...lines, `${prefix}${sums}${failed}; ${formatCount(new_versions, 'new version')}.`].join('\n'),
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
        // A failed object does not stop the others; all failures are reported at the end.
        if (!(error instanceof CommandFailure)) throw error;
        failures.push(error.message);
      }
    }
  }
  const agents = await importAgents(api, folder.agents, { dryRun });
  return { imported: [...imported, ...agents.imported], failures: [...failures, ...agents.failures] };
}

function describeImported({ noun, name, sharing, outcome, newVersions }: Imported): string {
  const versions = newVersions > 0 ? `, ${formatCount(newVersions, 'new version')}` : '';
  return `${noun} ${name} (${sharing}): ${outcome}${versions}`;
}

import { resolve } from 'node:path';
import { CommandFailure, explainFile } from '../../operator/command-failure.ts';
import { type ApiClient, openApi } from '../shell/api-client.ts';
import type { Context, ExitCode } from '../shell/command.ts';
import { formatCount } from '../shell/format-table.ts';
import { type Exported, exportFolder } from './export-folder.ts';
import { importAgents } from './import-agents.ts';
import { importIndexes } from './import-indexes.ts';
import { importLibraries } from './import-libraries.ts';
import { type Imported, importObject } from './import-object.ts';
import { KINDS, listObjects } from './kinds.ts';
import { type LocalFolder, readFolder } from './read-folder.ts';

const OUTCOMES = ['created', 'updated', 'unchanged'] as const;

export async function exportWorkspace(context: Context): Promise<undefined> {
  const { args, output } = context;
  const dir = args.parameter('dir');
  const exported = await exportFolder(openApi(context), dir, {
    allVersions: args.flag('all-versions'),
    documents: args.flag('documents'),
    onProgress: (done, name) => output.progress(`${done} exported, last ${name}`),
  }).catch((error: unknown) => {
    throw explainFile(error, 'The export');
  });
  const [prompts = 0, skills = 0, agents = 0] = ['prompt', 'skill', 'agent'].map(
    (noun) => exported.filter((object) => object.noun === noun).length,
  );
  const versions = exported.reduce((sum, object) => sum + object.versions, 0);
  const documents = args.flag('documents') ? sumDocuments(exported) : undefined;
  const holdings = documents
    ? ` With ${formatCount(documents.libraries, 'library', 'libraries')} and ${formatCount(documents.search_indexes, 'search index', 'search indexes')} (${formatCount(documents.documents, 'document')}); passages and vectors are made anew where they are imported.`
    : ' Libraries and search indexes are exported with --documents.';
  output.result(
    { dir, prompts, skills, agents, versions, ...documents, objects: exported },
    `Exported ${formatCount(prompts, 'prompt')}, ${formatCount(skills, 'skill')} and ${formatCount(agents, 'agent')} (${formatCount(versions, 'version')}) to ${resolve(dir)}.${holdings}`,
  );
}

function sumDocuments(exported: readonly Exported[]) {
  return {
    libraries: exported.filter(({ noun }) => noun === 'library').length,
    search_indexes: exported.filter(({ noun }) => noun === 'search index').length,
    documents: exported.reduce((sum, { documents = 0 }) => sum + documents, 0),
  };
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
  const objects = imported.map(({ noun, name, sharing, outcome, newVersions, newDocuments }) => ({
    noun,
    name,
    sharing,
    outcome,
    new_versions: newVersions,
    ...(newDocuments !== undefined && { new_documents: newDocuments }),
  }));
  const new_documents = imported.reduce((sum, object) => sum + (object.newDocuments ?? 0), 0);
  if (new_documents > 0 && !dryRun)
    output.note('The server reads and embeds the documents now; until then they are found by their words, or not yet.');
  const lines = imported.filter(({ outcome }) => outcome !== 'unchanged').map(describeImported);
  const sums = OUTCOMES.map((outcome) => `${counts[outcome]} ${outcome}`).join(', ');
  const failed = failures.length > 0 ? `, ${failures.length} failed` : '';
  const prefix = dryRun ? 'Dry run, nothing was changed: ' : '';
  output.result(
    {
      dir,
      dry_run: dryRun,
      ...counts,
      new_versions,
      new_documents,
      failed: failures.length,
      objects,
      warnings,
      failures,
    },
    [
      ...lines,
      `${prefix}${sums}${failed}; ${formatCount(new_versions, 'new version')}${new_documents > 0 ? `, ${formatCount(new_documents, 'new document')}` : ''}.`,
    ].join('\n'),
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
  const options = { dryRun, onProgress };
  const libraries = await importLibraries(api, folder.libraries, options);
  const indexes = await importIndexes(api, folder.indexes, options);
  return {
    imported: [...imported, ...agents.imported, ...libraries.imported, ...indexes.imported],
    failures: [...failures, ...agents.failures, ...libraries.failures, ...indexes.failures],
  };
}

function describeImported({ noun, name, sharing, outcome, newVersions, newDocuments = 0 }: Imported): string {
  const versions = newVersions > 0 ? `, ${formatCount(newVersions, 'new version')}` : '';
  const documents = newDocuments > 0 ? `, ${formatCount(newDocuments, 'new document')}` : '';
  return `${noun} ${name} (${sharing}): ${outcome}${versions}${documents}`;
}

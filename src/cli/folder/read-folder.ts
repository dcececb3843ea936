import { realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CommandFailure } from '../../operator/command-failure.ts';
import { AGENTS_FOLDER, agentLabelOf, type LocalAgent, readAgentFile } from './agent-file.ts';
import { MARKER, PRIVATE, PRIVATE_LIBRARIES } from './export-folder.ts';
import { INDEXES_FOLDER, indexLabelOf, type LocalIndex, readIndexFile } from './index-file.ts';
import type { Kind, LocalVersion, Sharing } from './kind.ts';
import { KINDS } from './kinds.ts';
import { compareMarks, parseLabel } from './label-objects.ts';
import { LIBRARIES_FOLDER, type LocalLibrary, readLibrary } from './library-file.ts';
import { entriesOf, kindOfPath } from './safe-files.ts';
import { readSkillFolder, skillKind } from './skill-kind.ts';

/** Where other tools keep skills. */
const FOREIGN = ['.claude/skills', '.vibe/skills', '.agents/skills'];

/** With its versions, oldest first. */
export type LocalObject = { kind: Kind; sharing: Sharing; versions: LocalVersion[] };

export type LocalFolder = {
  objects: LocalObject[];
  agents: LocalAgent[];
  libraries: LocalLibrary[];
  indexes: LocalIndex[];
  problems: string[];
};

/** Reads an export, a project with skills, a folder of skills, or a single skill. Collects all problems. */
export async function readFolder(dir: string, foreignSharing: Sharing): Promise<LocalFolder> {
  if ((await kindOfPath(await realpath(dir).catch(() => dir))) !== 'folder') {
    throw new CommandFailure(`The folder ${dir} does not exist.`);
  }
  const folder: LocalFolder = { objects: [], agents: [], libraries: [], indexes: [], problems: [] };
  const isExport = (await kindOfPath(join(dir, MARKER))) === 'file';
  for (const kind of isExport ? KINDS : []) {
    await readExported(folder, kind, join(dir, kind.folder), 'workspace');
    await readExported(folder, kind, join(dir, PRIVATE, kind.folder), 'private');
  }
  if (isExport) {
    await readAgents(folder, join(dir, AGENTS_FOLDER));
    await readLibraries(folder, join(dir, LIBRARIES_FOLDER), 'workspace');
    await readLibraries(folder, join(dir, PRIVATE_LIBRARIES), 'private');
    await readIndexes(folder, join(dir, INDEXES_FOLDER));
  }
  const roots = FOREIGN.map((source) => join(dir, source));
  if (!isExport) roots.push(join(dir, skillKind.folder), dir);
  for (const source of roots) await readSkills(folder, source, foreignSharing);
  if (!isExport && (await kindOfPath(join(dir, 'SKILL.md'))) === 'file') {
    await add(folder, dir, async () => foreignSkill(dir, foreignSharing));
  }
  await dropDuplicates(folder);
  const { objects, agents, libraries, indexes, problems } = folder;
  if ([objects, agents, libraries, indexes, problems].every(({ length }) => length === 0)) {
    const wanted = `an export (${MARKER}), skills in ${FOREIGN.join(', ')}, or folders with a SKILL.md`;
    throw new CommandFailure(`There is nothing to import in ${dir}. Expected ${wanted}.`);
  }
  return folder;
}

async function readLibraries(folder: LocalFolder, root: string, sharing: Sharing): Promise<void> {
  await attempt(folder, root, async () => {
    for (const { name, isFolder } of await entriesOf(root)) {
      const source = join(root, name);
      if (isFolder)
        await attempt(folder, source, async () => void folder.libraries.push(await readLibrary(source, sharing)));
    }
  });
}

async function readIndexes(folder: LocalFolder, root: string): Promise<void> {
  await attempt(folder, root, async () => {
    for (const entry of await entriesOf(root)) {
      const label = indexLabelOf(entry);
      if (label === undefined) continue;
      await attempt(folder, join(root, entry.name), async () => {
        folder.indexes.push(await readIndexFile(root, label));
      });
    }
  });
}

async function readAgents(folder: LocalFolder, root: string): Promise<void> {
  await attempt(folder, root, async () => {
    for (const entry of await entriesOf(root)) {
      const label = agentLabelOf(entry);
      if (label === undefined) continue;
      const source = join(root, entry.name);
      await attempt(folder, source, async () => void folder.agents.push(await readAgentFile(source, label)));
    }
  });
}

async function readExported(folder: LocalFolder, kind: Kind, root: string, sharing: Sharing): Promise<void> {
  const groups = new Map<string, ReturnType<typeof parseLabel>[]>();
  await attempt(folder, root, async () => {
    for (const entry of await entriesOf(root)) {
      const label = kind.labelOf(entry);
      if (label === undefined) continue;
      const parsed = parseLabel(label);
      groups.set(parsed.object, [...(groups.get(parsed.object) ?? []), parsed]);
    }
  });
  for (const labels of groups.values()) {
    const versions: LocalVersion[] = [];
    for (const { object, mark } of labels.sort(compareMarks)) {
      const label = mark === undefined ? object : `${object}@${mark}`;
      await attempt(folder, join(root, label), async () => void versions.push(await kind.read(root, label)));
    }
    if (versions.length > 0) checkGroup(folder, versions);
    folder.objects.push({ kind, sharing, versions });
  }
}

function checkGroup({ problems }: LocalFolder, versions: LocalVersion[]): void {
  const [first, ...others] = versions;
  const mismatch = others.find(({ name }) => name !== first?.name);
  if (mismatch)
    problems.push(`${mismatch.source}: named '${mismatch.name}', but ${first?.source} is named '${first?.name}'`);
  const seen = new Map<string, string>();
  for (const { source, aliases = [] } of versions) {
    for (const alias of aliases) {
      if (seen.has(alias)) problems.push(`${source}: the alias '${alias}' is also in ${seen.get(alias)}`);
      seen.set(alias, source);
    }
  }
}

async function readSkills(folder: LocalFolder, root: string, sharing: Sharing): Promise<void> {
  if ((await kindOfPath(root)) !== 'folder') return;
  await attempt(folder, root, async () => {
    for (const { name, isFolder } of await entriesOf(root, 'report')) {
      const source = join(root, name);
      if (isFolder === 'link') {
        if (await isSkill(await realpath(source).catch(() => source)))
          folder.problems.push(`${source}: symbolic link; import the folder it points to`);
      } else if (isFolder && (await isSkill(source))) await add(folder, source, () => foreignSkill(source, sharing));
    }
  });
}

async function isSkill(source: string): Promise<boolean> {
  return (await kindOfPath(join(source, 'SKILL.md'))) !== undefined;
}

async function foreignSkill(source: string, sharing: Sharing): Promise<LocalObject> {
  return {
    kind: skillKind as unknown as Kind,
    sharing,
    versions: [await readSkillFolder(source, basename(source), true)],
  };
}

async function add(folder: LocalFolder, source: string, read: () => Promise<LocalObject>): Promise<void> {
  await attempt(folder, source, async () => void folder.objects.push(await read()));
}

async function attempt({ problems }: LocalFolder, source: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    problems.push(error instanceof CommandFailure ? error.message : `${source}: ${error.message}`);
  }
}

/** Identical copies of a skill count once; different skills of the same name are a problem. */
async function dropDuplicates(folder: LocalFolder): Promise<void> {
  const kept = new Map<string, LocalObject>();
  for (const object of folder.objects) {
    const newest = object.versions.at(-1);
    if (!newest) continue;
    const key = `${object.kind.noun} ${object.sharing} ${newest.name}`;
    const duplicate = kept.get(key);
    const other = duplicate?.versions.at(-1);
    if (!duplicate || !other) kept.set(key, object);
    else if (!object.kind.equals(await other.loadDefinition(), await newest.loadDefinition())) {
      folder.problems.push(`${newest.source}: named '${newest.name}' like ${other.source}, but different`);
    }
  }
  folder.objects = [...kept.values()];
}

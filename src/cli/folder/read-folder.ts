import { realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CommandFailure } from '../../operator/command-failure.ts';
import { AGENTS_FOLDER, agentLabelOf, type LocalAgent, readAgentFile } from './agent-file.ts';
import { MARKER, PRIVATE } from './export-folder.ts';
import type { Kind, LocalVersion, Sharing } from './kind.ts';
import { compareMarks, parseLabel } from './label-objects.ts';
import { KINDS } from './list-objects.ts';
import { entriesOf, kindOfPath } from './safe-files.ts';
import { readSkillFolder, skillKind } from './skill-kind.ts';

/** Where programs that know skills keep them. */
const FOREIGN = ['.claude/skills', '.vibe/skills', '.agents/skills'];

/** Versions oldest first. */
export type LocalObject = { kind: Kind; sharing: Sharing; versions: LocalVersion[] };

export type LocalFolder = { objects: LocalObject[]; agents: LocalAgent[]; problems: string[] };

/**
 * What is in a folder: an export of ours, a project with skills for some agent, a folder of skills, or one skill.
 * Every problem is collected, so that all can be mended at once.
 */
export async function readFolder(dir: string, foreignSharing: Sharing): Promise<LocalFolder> {
  if ((await kindOfPath(await realpath(dir).catch(() => dir))) !== 'folder') {
    throw new CommandFailure(`There is no folder ${dir}.`);
  }
  const folder: LocalFolder = { objects: [], agents: [], problems: [] };
  const isExport = (await kindOfPath(join(dir, MARKER))) === 'file';
  for (const kind of isExport ? KINDS : []) {
    await readExported(folder, kind, join(dir, kind.folder), 'workspace');
    await readExported(folder, kind, join(dir, PRIVATE, kind.folder), 'private');
  }
  if (isExport) await readAgents(folder, join(dir, AGENTS_FOLDER));
  const places = FOREIGN.map((place) => join(dir, place));
  if (!isExport) places.push(join(dir, skillKind.folder), dir);
  for (const place of places) await readSkills(folder, place, foreignSharing);
  if (!isExport && (await kindOfPath(join(dir, 'SKILL.md'))) === 'file') {
    await add(folder, dir, async () => foreignSkill(dir, foreignSharing));
  }
  await dropTwins(folder);
  if (folder.objects.length + folder.agents.length === 0 && folder.problems.length === 0) {
    const wanted = `an export (${MARKER}), skills in ${FOREIGN.join(', ')}, or folders with a SKILL.md`;
    throw new CommandFailure(`There is nothing to import in ${dir}. It may hold ${wanted}.`);
  }
  return folder;
}

async function readAgents(folder: LocalFolder, root: string): Promise<void> {
  await attempt(folder, root, async () => {
    for (const entry of await entriesOf(root)) {
      const label = agentLabelOf(entry);
      if (label === undefined) continue;
      const place = join(root, entry.name);
      await attempt(folder, place, async () => void folder.agents.push(await readAgentFile(place, label)));
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
  const stranger = others.find(({ name }) => name !== first?.name);
  if (stranger)
    problems.push(`${stranger.place}: it is named '${stranger.name}', and ${first?.place} '${first?.name}'`);
  const seen = new Map<string, string>();
  for (const { place, aliases = [] } of versions) {
    for (const alias of aliases) {
      if (seen.has(alias)) problems.push(`${place}: the alias '${alias}' is also in ${seen.get(alias)}`);
      seen.set(alias, place);
    }
  }
}

async function readSkills(folder: LocalFolder, root: string, sharing: Sharing): Promise<void> {
  if ((await kindOfPath(root)) !== 'folder') return;
  await attempt(folder, root, async () => {
    for (const { name, isFolder } of await entriesOf(root, 'tell')) {
      const place = join(root, name);
      if (isFolder === 'link') {
        if (await isSkill(await realpath(place).catch(() => place)))
          folder.problems.push(`${place}: it is a symbolic link; import the folder that it leads to`);
      } else if (isFolder && (await isSkill(place))) await add(folder, place, () => foreignSkill(place, sharing));
    }
  });
}

async function isSkill(place: string): Promise<boolean> {
  return (await kindOfPath(join(place, 'SKILL.md'))) !== undefined;
}

async function foreignSkill(place: string, sharing: Sharing): Promise<LocalObject> {
  return {
    kind: skillKind as unknown as Kind,
    sharing,
    versions: [await readSkillFolder(place, basename(place), true)],
  };
}

async function add(folder: LocalFolder, place: string, read: () => Promise<LocalObject>): Promise<void> {
  await attempt(folder, place, async () => void folder.objects.push(await read()));
}

async function attempt({ problems }: LocalFolder, place: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    problems.push(error instanceof CommandFailure ? error.message : `${place}: ${error.message}`);
  }
}

/** The same skill in two places is one; two different ones of the same name are a question for the user. */
async function dropTwins(folder: LocalFolder): Promise<void> {
  const kept = new Map<string, LocalObject>();
  for (const object of folder.objects) {
    const newest = object.versions.at(-1);
    if (!newest) continue;
    const key = `${object.kind.noun} ${object.sharing} ${newest.name}`;
    const twin = kept.get(key);
    const other = twin?.versions.at(-1);
    if (!twin || !other) kept.set(key, object);
    else if (!object.kind.equals(await other.loadDefinition(), await newest.loadDefinition())) {
      folder.problems.push(`${newest.place}: it is named '${newest.name}' as ${other.place} is, and differs from it`);
    }
  }
  folder.objects = [...kept.values()];
}

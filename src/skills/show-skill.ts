import type { Snapshot, VersionSnapshot } from '../kit/versions/index.ts';
import { type StoredDefinition, type StoredFile, toAsset } from './pack-definition.ts';
import type { Skill, SkillAssetContent, SkillVersion } from './schema.ts';

/** A skill as lists show it, with what is needed to add its files. */
export type ShownSkill = { skill: Skill & { id: string }; files: Record<string, StoredFile> };

export function showSkill(snapshot: Snapshot<StoredDefinition | undefined>): ShownSkill {
  const { id, name, definition, version, notes, aliases, sharing } = snapshot;
  const { files = {}, ...text } = definition ?? {};
  return {
    skill: {
      id,
      name,
      ...(definition ? { definition: text } : {}),
      version,
      ...(notes ? { notes } : {}),
      aliases,
      sharingScope: sharing,
      createdAt: snapshot.created_at,
      updatedAt: snapshot.updated_at,
      latestVersion: snapshot.latest_version,
    },
    files,
  };
}

export function showVersion(snapshot: VersionSnapshot<StoredDefinition>): SkillVersion {
  const { version, definition, notes, aliases, created_at } = snapshot;
  const { description, body } = definition;
  return { version, definition: { description, body }, ...(notes ? { notes } : {}), aliases, createdAt: created_at };
}

/** The skill with its files. */
export function withAssets({ skill, files }: ShownSkill, contents: ReadonlyMap<string, Buffer>): Skill {
  const assets = Object.entries(files).map(([path, file]): [string, SkillAssetContent] => [
    path,
    toAsset(file, contents.get(file.sha256) ?? Buffer.alloc(0)),
  ]);
  return { ...skill, definition: { ...skill.definition, assets: Object.fromEntries(assets) } };
}

import { type Snapshot, showObject } from '../registry/index.ts';
import type { StoredDefinition, StoredFile } from './pack-definition.ts';
import type { Skill, SkillAssetContent } from './schema/skills.ts';

/** A skill as lists show it, and what is needed to add its files. */
export type ShownSkill = { skill: Skill & { id: string }; files: Record<string, StoredFile> };

export function showSkill(snapshot: Snapshot<StoredDefinition | undefined>): ShownSkill {
  const { files = {}, ...text } = snapshot.definition ?? {};
  return { skill: showObject(snapshot, snapshot.definition && text), files };
}

export function withAssets({ skill, files }: ShownSkill, contents: ReadonlyMap<string, Buffer>): Skill {
  const assets = Object.entries(files).map(([path, { sha256, form, isExecutable }]): [string, SkillAssetContent] => {
    const content = contents.get(sha256) ?? Buffer.alloc(0);
    return form === 'text'
      ? [path, { textContent: content.toString('utf8'), isExecutable }]
      : [path, { rawContent: content.toString('base64'), isExecutable }];
  });
  return { ...skill, definition: { ...skill.definition, assets: Object.fromEntries(assets) } };
}

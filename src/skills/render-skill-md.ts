import { writeFrontMatter } from '../kit/base/front-matter.ts';

/** The name of the file that description and body become in a skill's folder. */
export const SKILL_FILE = 'SKILL.md';

export function renderSkillMd(name: string, { description, body }: { description: string; body: string }): string {
  return writeFrontMatter({ fields: { name, description }, body });
}

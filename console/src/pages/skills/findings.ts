import type { SkillFindings } from '../../../../src/console/schema/skills.ts';
import { ApiError } from '../../api/api-error.ts';
import { SKILL_FILE } from './folder.ts';

export type Finding = SkillFindings['findings'][number];

const words: Record<string, string> = {
  'network-to-shell': 'fetches something and runs it in one go',
  'encoded-payload': 'decodes something and runs it, or hides a program in text',
  'native-program': 'is machine code, which nobody can review by reading',
  'raw-address-url': 'calls an address by number instead of by name',
  'hidden-unicode': 'has characters that nobody sees and a model reads',
};

export const describeFinding = ({ rule }: Finding): string => words[rule] ?? rule;

/** `SKILL.md` for description and body, else the path of the file. */
export const pathOf = ({ file }: { file: string }): string =>
  file.startsWith('assets/') ? file.slice('assets/'.length) : SKILL_FILE;

export function placeOf(finding: Finding): string {
  const part = finding.file === 'description' ? `${SKILL_FILE}, description` : pathOf(finding);
  return finding.line === 0 ? part : `${part}, line ${finding.line}`;
}

/** Something that the server refused, at the file where it is. */
export type Refusal = { file: string; message: string };

/** What a 422 says about the definition: broken rules, and findings where the workspace refuses those. */
export function refusalsOf(error: unknown): Refusal[] {
  if (!(error instanceof ApiError) || !Array.isArray(error.detail)) return [];
  return error.detail.flatMap(({ loc, msg }: { loc?: unknown; msg?: unknown }) => {
    if (!Array.isArray(loc) || loc[1] !== 'definition' || typeof msg !== 'string') return [];
    const [, , part, path] = loc;
    const message = msg.replace(/^Value error, /, '');
    return [{ file: part === 'assets' && path !== undefined ? `assets/${path}` : String(part ?? 'body'), message }];
  });
}

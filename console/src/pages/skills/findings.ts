import type { SkillFindings } from '../../../../src/console/schema/skills.ts';
import { ApiError } from '../../api/api-error.ts';
import { type Folder, SKILL_FILE } from './folder.ts';

export type Finding = SkillFindings['findings'][number];

const words: Record<string, string> = {
  'network-to-shell': 'downloads and runs code in one step',
  'encoded-payload': 'decodes and runs code, or hides a program in text',
  'native-program': 'is machine code, which cannot be reviewed as text',
  'raw-address-url': 'uses an IP address instead of a host name',
  'hidden-unicode': 'contains invisible characters that a model reads',
};

export const describeFinding = ({ rule }: Finding): string => words[rule] ?? rule;

/** `SKILL.md` for description and body, else the file path. */
export const pathOf = ({ file }: { file: string }): string =>
  file.startsWith('assets/') ? file.slice('assets/'.length) : SKILL_FILE;

export function locationOf(finding: Finding): string {
  const part = finding.file === 'description' ? `${SKILL_FILE}, description` : pathOf(finding);
  return finding.line === 0 ? part : `${part}, line ${finding.line}`;
}

/** A rejection by the server and the file it concerns. */
export type Refusal = { file: string; message: string };

const QUOTED_MAX = 80;

/** The problems that a 422 reports for the definition, each with the text of its line. */
export function refusalsOf(error: unknown, folder: Folder): Refusal[] {
  if (!(error instanceof ApiError) || !Array.isArray(error.detail)) return [];
  return error.detail.flatMap(({ loc, msg, ctx }: { loc?: unknown; msg?: unknown; ctx?: { line?: unknown } }) => {
    if (!Array.isArray(loc) || loc[1] !== 'definition' || typeof msg !== 'string') return [];
    const [, , part, path] = loc;
    const file = part === 'assets' && path !== undefined ? `assets/${path}` : String(part ?? 'body');
    const line =
      Number(ctx?.line ?? 0) > 0 ? textAt(folder, file).split('\n')[Number(ctx?.line) - 1]?.trim() : undefined;
    const quoted = line ? `: “${line.slice(0, QUOTED_MAX)}${line.length > QUOTED_MAX ? '…' : ''}”` : '';
    return [{ file, message: msg.replace(/^Value error, /, '') + quoted }];
  });
}

function textAt(folder: Folder, at: string): string {
  if (at === 'description' || at === 'body') return folder[at];
  const content = folder.files.find(({ path }) => at === `assets/${path}`)?.content;
  return content && 'text' in content ? content.text : '';
}

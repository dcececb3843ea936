import { type ApiClient, openApi } from '../shell/api-client.ts';
import type { Context } from '../shell/command.ts';
import { diffLines } from './diff-lines.ts';
import type { Files, RemoteObject } from './kind.ts';
import { type PromptDefinition, promptText } from './prompt-kind.ts';
import { type SkillDefinition, skillFiles } from './skill-kind.ts';
import { textFile, toText } from './text-file.ts';

type FileDiff = { path: string; change: 'added' | 'removed' | 'changed'; lines: string[] };

/** Compares two versions as the files they would be in a folder. */
export async function diffVersions(context: Context, noun: 'prompt' | 'skill'): Promise<undefined> {
  const { args, output } = context;
  const api = openApi(context);
  const [before, after] = await Promise.all(
    (['from', 'to'] as const).map((side) =>
      readVersion<unknown>(api, noun, args.parameter('name'), args.parameter(side)),
    ),
  );
  if (!before || !after) throw new Error('Both versions were requested.');
  const files = diffFiles(filesOf(noun, before), filesOf(noun, after));
  const text = files.flatMap(({ path, lines }) => [
    `--- ${path} (version ${before.version})`,
    `+++ ${path} (version ${after.version})`,
    ...lines,
  ]);
  output.result(
    { name: after.name, from: before.version, to: after.version, files },
    text.length > 0
      ? text.map(replaceControls).join('\n')
      : `Versions ${before.version} and ${after.version} have the same files.`,
  );
}

export function readVersion<D>(api: ApiClient, noun: string, name: string, which: string): Promise<RemoteObject<D>> {
  const selector = /^\d+$/.test(which) ? `version=${which}` : `alias=${encodeURIComponent(which)}`;
  return api.get<RemoteObject<D>>(`/v2/${noun}s/${encodeURIComponent(name)}?${selector}`);
}

function filesOf(noun: 'prompt' | 'skill', { name, definition }: RemoteObject): Files {
  if (noun === 'skill') return skillFiles(name, definition as SkillDefinition);
  return new Map([[`${name}.md`, textFile(promptText(name, definition as PromptDefinition))]]);
}

function diffFiles(before: Files, after: Files): FileDiff[] {
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((path): FileDiff[] => {
    const [one, other] = [before.get(path), after.get(path)];
    const change = one ? (other ? 'changed' : 'removed') : 'added';
    const lines = [
      ...(one && other && one.isExecutable !== other.isExecutable
        ? [`${other.isExecutable ? 'now' : 'no longer'} executable`]
        : []),
      ...diffContents(one?.bytes ?? Buffer.alloc(0), other?.bytes ?? Buffer.alloc(0)),
    ];
    return change === 'changed' && lines.length === 0 ? [] : [{ path, change, lines }];
  });
}

function diffContents(one: Buffer, other: Buffer): string[] {
  if (one.equals(other)) return [];
  const [before, after] = [toText(one), toText(other)];
  if (before === undefined || after === undefined) return [`binary, ${one.length} → ${other.length} bytes`];
  return diffLines(before, after);
}

// Files come from users; an escape sequence in one must not reach the terminal.
function replaceControls(line: string): string {
  return line.replaceAll(/(?![\t\n])\p{Cc}/gu, '\ufffd');
}

import type { SkillAssetContent, SkillDefinition } from '../../../../src/skills/schema/skills.ts';

/** Text can be edited; other content is kept unchanged in base64. */
type Content = { text: string } | { base64: string };
export type FolderFile = { path: string; isExecutable: boolean; content: Content };
/** The editable form of a skill: SKILL.md as description and body, and its files. */
export type Folder = { description: string; body: string; files: readonly FolderFile[] };

export const SKILL_FILE = 'SKILL.md';
export const limits = { files: 200, fileBytes: 1024 * 1024, totalBytes: 8 * 1024 * 1024, description: 1024 } as const;
export const emptyFolder: Folder = { description: '', body: '', files: [] };

export function folderOf({ description = '', body = '', assets = {} }: SkillDefinition): Folder {
  const files = Object.entries(assets).map(([path, asset]) => ({
    path,
    isExecutable: asset.isExecutable ?? false,
    content: contentOf(asset),
  }));
  return { description, body, files: sortFiles(files) };
}

export function definitionOf({ description, body, files }: Folder): SkillDefinition {
  const assets = files.map(({ path, isExecutable, content }): [string, SkillAssetContent] => [
    path,
    'text' in content ? { textContent: content.text, isExecutable } : { rawContent: content.base64, isExecutable },
  ]);
  return { description, body, assets: Object.fromEntries(assets) };
}

/** Adds a file or replaces the one at its path. */
export function putFile(folder: Folder, file: FolderFile): Folder {
  return { ...folder, files: sortFiles([...folder.files.filter(({ path }) => path !== file.path), file]) };
}

export function removeFile(folder: Folder, path: string): Folder {
  return { ...folder, files: folder.files.filter((file) => file.path !== path) };
}

export function renameFile(folder: Folder, from: string, to: string): Folder {
  return {
    ...folder,
    files: sortFiles(folder.files.map((file) => (file.path === from ? { ...file, path: to } : file))),
  };
}

/** Restores CRLF line ends, which a text area turns into LF. */
export function keepLineEnds(before: string, after: string): string {
  return before.includes('\r\n') ? after.replaceAll('\n', '\r\n') : after;
}

export function contentFromBytes(bytes: Uint8Array<ArrayBuffer>): Content {
  const text = readText(bytes);
  return text === undefined ? { base64: toBase64(bytes) } : { text };
}

export function bytesOf({ content }: FolderFile): Uint8Array<ArrayBuffer> {
  return 'text' in content ? encoder.encode(content.text) : fromBase64(content.base64);
}

export function sizeOf(file: FolderFile): number {
  // Called for all files on each key press.
  const known = sizes.get(file.content);
  if (known !== undefined) return known;
  const size = bytesOf(file).length;
  sizes.set(file.content, size);
  return size;
}

export function totalOf({ files }: Folder): number {
  return files.reduce((sum, file) => sum + sizeOf(file), 0);
}

export function isSameFile(one: FolderFile, other: FolderFile): boolean {
  const [left, right] = [one.content, other.content];
  const isSame =
    'text' in left ? 'text' in right && left.text === right.text : 'base64' in right && left.base64 === right.base64;
  return isSame && one.isExecutable === other.isExecutable;
}

export function isSameText(one: Folder, other: Folder): boolean {
  return one.description === other.description && one.body === other.body;
}

export function isSameFolder(one: Folder, other: Folder): boolean {
  return isSameText(one, other) && changedFiles(one, other).length === 0;
}

export type FileChange = {
  path: string;
  kind: 'added' | 'removed' | 'changed' | 'moved';
  before: FolderFile | undefined;
  after: FolderFile | undefined;
};

/** The files that differ, by path. Text sent as base64 equals the same text. */
export function changedFiles(before: Folder, after: Folder): FileChange[] {
  const [old, now] = [byPath(before), byPath(after)];
  const changes = [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((path): FileChange[] => {
    const [one, other] = [old.get(path), now.get(path)];
    if (one && other && isSameFile(one, other)) return [];
    return [{ path, kind: !one ? 'added' : !other ? 'removed' : 'changed', before: one, after: other }];
  });
  return joinMoves(changes);
}

/** Joins a removed and an added file of equal content into a move. */
function joinMoves(changes: readonly FileChange[]): FileChange[] {
  const removed = new Set(changes.filter(({ kind }) => kind === 'removed'));
  const joined = changes.map((change): FileChange => {
    const { kind, after } = change;
    const source = [...removed].find(({ before }) => kind === 'added' && before && after && isSameFile(before, after));
    if (!source) return change;
    removed.delete(source);
    return { ...change, kind: 'moved', before: source.before };
  });
  return joined.filter((change) => change.kind !== 'removed' || removed.has(change));
}

export type TreeNode = { name: string; path: string; file: FolderFile | undefined; children: TreeNode[] };

/** The file tree; folders come first. */
export function treeOf(files: readonly FolderFile[]): TreeNode[] {
  const root: TreeNode = { name: '', path: '', file: undefined, children: [] };
  for (const file of files) {
    const names = file.path.split('/');
    let at = root;
    for (const [depth, name] of names.entries()) {
      const isFile = depth === names.length - 1;
      let next = at.children.find((child) => child.name === name && (child.file !== undefined) === isFile);
      if (!next) {
        next = { name, path: names.slice(0, depth + 1).join('/'), file: isFile ? file : undefined, children: [] };
        at.children.push(next);
      }
      at = next;
    }
  }
  return sortNodes(root.children);
}

function sortNodes(nodes: TreeNode[]): TreeNode[] {
  for (const { children } of nodes) sortNodes(children);
  return nodes.sort((one, other) =>
    (one.file === undefined) === (other.file === undefined) ? (one.name < other.name ? -1 : 1) : one.file ? 1 : -1,
  );
}

const sizes = new WeakMap<Content, number>();
const encoder = new TextEncoder();
const byPath = ({ files }: Folder) => new Map(files.map((file) => [file.path, file]));
const sortFiles = (files: FolderFile[]) => files.sort((one, other) => (one.path < other.path ? -1 : 1));

function contentOf(asset: SkillAssetContent): Content {
  return 'textContent' in asset ? { text: asset.textContent } : contentFromBytes(fromBase64(asset.rawContent));
}

function readText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

function fromBase64(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function toBase64(bytes: Uint8Array): string {
  const step = 8192;
  let binary = '';
  for (let at = 0; at < bytes.length; at += step) binary += String.fromCharCode(...bytes.subarray(at, at + step));
  return btoa(binary);
}

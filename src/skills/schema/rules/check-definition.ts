import { checkPath, foldName, type Problem } from './check-path.ts';
import { type AssetShape, decodeContent } from './decode-content.ts';

const MIB = 1024 * 1024;
export const DESCRIPTION_CHARACTERS_MAX = 1024;
export const FILES_MAX = 200;
export const FILE_BYTES_MAX = MIB;
export const TOTAL_BYTES_MAX = 8 * MIB;

/** The parts of a definition that the rules check. The schema imports the rules, not the other way round. */
type DefinitionShape = {
  description?: string | undefined;
  body?: string | undefined;
  assets?: Record<string, AssetShape> | undefined;
};

/** All rules that a definition breaks, so its author can fix everything at once. */
export function checkDefinition({ description = '', body = '', assets = {} }: DefinitionShape): Problem[] {
  const paths = Object.keys(assets);
  const problems: Problem[] = [
    ...checkText('description', description),
    ...checkText('body', body),
    ...paths.flatMap((path) => checkPath(path).map((fault): Problem => ({ at: ['assets', path], ...fault }))),
    ...checkCollisions(paths),
  ];
  if ([...description].length > DESCRIPTION_CHARACTERS_MAX) {
    const message = `the description may have at most ${DESCRIPTION_CHARACTERS_MAX} characters`;
    problems.push({ at: ['description'], rule: 'description-length', message });
  }
  if (Buffer.byteLength(body) > FILE_BYTES_MAX) {
    problems.push({ at: ['body'], rule: 'body-size', message: 'the body may have at most 1 MiB' });
  }
  if (paths.length > FILES_MAX) {
    const message = `a skill may have at most ${FILES_MAX} files, not ${paths.length}`;
    problems.push({ at: ['assets'], rule: 'files-count', message });
  }
  return [...problems, ...checkContents(assets)];
}

/** Paths that some file systems take for the same file, and files where another path needs a folder. */
function checkCollisions(paths: readonly string[]): Problem[] {
  const byFolded = new Map<string, string>();
  const problems: Problem[] = [];
  for (const path of paths) {
    const folded = foldName(path);
    const other = byFolded.get(folded);
    if (other === undefined) {
      byFolded.set(folded, path);
      continue;
    }
    const message = `it and '${other}' are the same file on a file system that ignores case or accents`;
    problems.push({ at: ['assets', path], rule: 'path-collision', message });
  }
  for (const path of paths) {
    const segments = foldName(path).split('/');
    const folders = segments.slice(1).map((_, depth) => segments.slice(0, depth + 1).join('/'));
    const file = folders.map((folder) => byFolded.get(folder)).find((found) => found !== undefined);
    if (file === undefined) continue;
    problems.push({
      at: ['assets', path],
      rule: 'path-folder',
      message: `'${file}' is a file and cannot be a folder too`,
    });
  }
  return problems;
}

function checkContents(assets: NonNullable<DefinitionShape['assets']>): Problem[] {
  const problems: Problem[] = [];
  let total = 0;
  for (const [path, asset] of Object.entries(assets)) {
    const at = ['assets', path];
    const content = decodeContent(asset);
    if ('rule' in content) {
      problems.push({ at, ...content });
      continue;
    }
    const bytes = content.bytes.length;
    total += bytes;
    if (bytes > FILE_BYTES_MAX)
      problems.push({ at, rule: 'file-size', message: `a file may have at most 1 MiB, not ${bytes} bytes` });
  }
  if (total > TOTAL_BYTES_MAX) {
    const message = `the files may have at most 8 MiB together, not ${total} bytes`;
    problems.push({ at: ['assets'], rule: 'total-size', message });
  }
  return problems;
}

// PostgreSQL can store neither in a text.
function checkText(name: 'description' | 'body', text: string): Problem[] {
  if (text.isWellFormed() && !text.includes('\0')) return [];
  return [{ at: [name], rule: 'text-unicode', message: 'the text contains a NUL or half a surrogate pair' }];
}

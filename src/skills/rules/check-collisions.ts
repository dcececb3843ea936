import { foldName, type Problem } from './check-path.ts';

/** Paths that some file systems take for the same file, and files where another path needs a folder. */
export function checkCollisions(paths: readonly string[]): Problem[] {
  const byFolded = new Map<string, string>();
  const problems: Problem[] = [];
  for (const path of paths) {
    const folded = foldName(path);
    const other = byFolded.get(folded);
    if (other === undefined) byFolded.set(folded, path);
    else
      problems.push(
        problem(
          path,
          'path-collision',
          `it and '${other}' are the same file on a file system that ignores case or accents`,
        ),
      );
  }
  for (const path of paths) {
    const segments = foldName(path).split('/');
    const folders = segments.slice(1).map((_, depth) => segments.slice(0, depth + 1).join('/'));
    const file = folders.map((folder) => byFolded.get(folder)).find((found) => found !== undefined);
    if (file !== undefined)
      problems.push(problem(path, 'path-folder', `'${file}' is a file and cannot be a folder too`));
  }
  return problems;
}

function problem(path: string, rule: string, message: string): Problem {
  return { at: ['assets', path], rule, message };
}

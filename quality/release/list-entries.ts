import { readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { walkFiles } from './walk-files.ts';
import type { TarEntry } from './write-tar.ts';

/** A directory with everything below it, as entries of a tar below another path; '' is its root. */
export function listEntries(
  dir: string,
  below: string,
  owner: { uid: number; gid: number } = { uid: 0, gid: 0 },
): TarEntry[] {
  const root: TarEntry[] = below === '' ? [] : [{ kind: 'dir', path: below, mode: 0o755, ...owner }];
  const entries = [...walkFiles(dir)].map(({ path, kind }): TarEntry => {
    const [source, at] = [join(dir, path), below === '' ? path : `${below}/${path}`];
    if (kind === 'link') return { kind, path: at, mode: 0o777, target: readlinkSync(source), ...owner };
    if (kind === 'dir') return { kind, path: at, mode: 0o755, ...owner };
    const isExecutable = (statSync(source).mode & 0o100) !== 0;
    return { kind, path: at, mode: isExecutable ? 0o755 : 0o644, source, ...owner };
  });
  return [...root, ...entries];
}

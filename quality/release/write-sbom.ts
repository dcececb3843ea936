import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCatalogueEntry } from '../../src/engines/weights/catalogue.ts';
import type { Manifest, Package } from './find-packages.ts';
import { ROOT } from './options.ts';
import type { Component } from './read-inside.ts';
import { licenceOf } from './write-notices.ts';

type Given = {
  name: string;
  version: string;
  mtime: number;
  /** Installed beside the program. */
  packages: Package[];
  /** The bill of the program's own files; it also names packages beside them. */
  inside: Component[];
  weights: string[];
};

/** A CycloneDX 1.6 document of everything in an archive. The same archive gives the same document. */
export function writeSbom({ name, version, mtime, packages, inside, weights }: Given): string {
  const hashes = readHashes();
  const root = {
    type: 'application',
    'bom-ref': 'tramontane',
    name: 'tramontane',
    version,
    purl: `pkg:npm/tramontane@${version}`,
    licenses: [{ license: { id: 'Apache-2.0' } }],
  };
  const refs = new Map(packages.map(({ dir }) => [dir, dir]));
  const beside = packages.map(({ dir, manifest }) => component(dir, manifest, hashes.get(dir)));
  const components = [
    ...beside,
    ...inside
      .filter(({ purl, scope }) => scope === 'required' && !beside.some((one) => one.purl === purl))
      .map((one) => ({ ...one, 'bom-ref': `inside:${one.purl}` })),
    ...weights.flatMap(modelComponents),
  ];
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  ) as Manifest;
  const direct = Object.keys({ ...dependencies, ...optionalDependencies })
    .map((one) => `node_modules/${one}`)
    .filter((dir) => refs.has(dir));
  const rest = components
    .map((one) => one['bom-ref'])
    .filter((ref) => ref.startsWith('inside:') || ref.startsWith('model:'));
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: new Date(mtime * 1000).toISOString(),
      component: root,
      properties: [{ name: 'tramontane:archive', value: name }],
    },
    components,
    dependencies: [
      { ref: root['bom-ref'], dependsOn: [...direct.sort(), ...rest] },
      ...packages.map(({ dir, needs }) => ({ ref: dir, dependsOn: needs.filter((one) => refs.has(one)) })),
    ],
  };
  const serialNumber = `urn:uuid:${uuidOf(JSON.stringify(document))}`;
  return `${JSON.stringify({ ...document, serialNumber }, undefined, 2)}\n`;
}

function component(ref: string, manifest: Manifest, sha512: string | undefined) {
  const [scope, short] = manifest.name.startsWith('@') ? manifest.name.slice(1).split('/') : [undefined, manifest.name];
  const licence = licenceOf(manifest);
  return {
    type: 'library',
    'bom-ref': ref,
    ...(scope && { group: `@${scope}` }),
    name: short ?? manifest.name,
    version: manifest.version,
    purl: `pkg:npm/${scope ? `%40${scope}/` : ''}${short}@${encodeURIComponent(manifest.version)}`,
    ...(sha512 && { hashes: [{ alg: 'SHA-512', content: sha512 }] }),
    licenses: [
      / (OR|AND|WITH) /.test(licence)
        ? { expression: licence.replace(/^\((.*)\)$/, '$1') }
        : { license: { name: licence } },
    ],
  };
}

function modelComponents(id: string) {
  const entry = findCatalogueEntry(id);
  return (entry?.files ?? []).map((file) => ({
    type: 'machine-learning-model',
    'bom-ref': `model:${file.name}`,
    name: file.name,
    version: file.sha256.slice(0, 12),
    description: entry?.summary,
    hashes: [{ alg: 'SHA-256', content: file.sha256 }],
    licenses: [{ license: { name: entry?.licence } }],
  }));
}

/** The SHA-512 of each package's tarball, by its place in the lockfile. */
function readHashes(): Map<string, string> {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { integrity?: string }>;
  };
  return new Map(
    Object.entries(packages).flatMap(([dir, { integrity }]) =>
      integrity?.startsWith('sha512-')
        ? [[dir, Buffer.from(integrity.slice(7), 'base64').toString('hex')] as const]
        : [],
    ),
  );
}

function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  DEFAULT_CHAT_ID,
  DEFAULT_EMBEDDINGS_ID,
  DEFAULT_SPEECH_ID,
  findCatalogueEntry,
} from '../../src/engines/weights/catalogue.ts';
import { type Architecture, type ReleaseOptions, ROOT } from './options.ts';

type Locked = { version?: string; os?: string[]; cpu?: string[]; libc?: string[]; dev?: boolean; link?: boolean };
type Lock = { version: string; packages: Record<string, Locked> };

/** What the default models need: chat, embeddings, speech. */
export const WEIGHTS = [DEFAULT_CHAT_ID, DEFAULT_EMBEDDINGS_ID, DEFAULT_SPEECH_ID];

/** The packages that bring compiled code for one platform; without one of them its feature is missing there. */
const NATIVE: Record<string, (architecture: Architecture) => string> = {
  Node: (architecture) => `node-linux-${architecture}`,
  'llama.cpp': (architecture) => `@node-llama-cpp/linux-${architecture}`,
  sharp: (architecture) => `@img/sharp-linux-${architecture}`,
  libvips: (architecture) => `@img/sharp-libvips-linux-${architecture}`,
};

export type ReleasePlan = {
  version: string;
  /** Seconds since 1970 that every file in an archive has. */
  mtime: number;
  outputs: string[];
  native: Record<string, Record<string, string | null>>;
  weights: string[];
  /** What should be done before this version is given to anyone. */
  warnings: string[];
};

/** Reads what a release would be made of. Changes nothing. */
export function planRelease(options: ReleaseOptions, environment: NodeJS.ProcessEnv): ReleasePlan {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const lock = JSON.parse(read('package-lock.json')) as Lock;
  const names = options.architectures.map((architecture) => `tramontane-${version}-linux-${architecture}`);
  return {
    version,
    mtime: Number(environment.SOURCE_DATE_EPOCH) || releaseTime(version),
    outputs: [
      ...names.flatMap((name) => [
        `${name}.tar.gz`,
        ...(options.withWeights ? [`${name}-weights.tar.gz`, `${name}-weights.cdx.json`] : []),
        ...(options.withImage ? [`${name}.oci.tar`] : []),
        `${name}.cdx.json`,
        `${name}.THIRD-PARTY-NOTICES.txt`,
      ]),
      'SHA256SUMS',
    ],
    native: Object.fromEntries(options.architectures.map((one) => [one, nativeOf(lock, one)])),
    weights: options.withWeights
      ? WEIGHTS.flatMap((id) => findCatalogueEntry(id)?.files.map(({ name }) => name) ?? [])
      : [],
    warnings: listWarnings(version, lock),
  };
}

function nativeOf(lock: Lock, architecture: Architecture) {
  return Object.fromEntries(
    Object.entries(NATIVE).map(([feature, nameOf]) => {
      const name = nameOf(architecture);
      const locked = lock.packages[`node_modules/${name}`];
      return [feature, locked ? `${name} ${locked.version}` : null];
    }),
  );
}

/** The date of the version in the changelog, so that a rebuild gives the same bytes; else a fixed one. */
function releaseTime(version: string): number {
  const date = new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - (\\d{4}-\\d{2}-\\d{2})`, 'm').exec(
    read('CHANGELOG.md'),
  );
  return Date.parse(`${date?.[1] ?? '2020-01-01'}T00:00:00Z`) / 1000;
}

function listWarnings(version: string, lock: Lock): string[] {
  const warnings: string[] = [];
  if (lock.version !== version)
    warnings.push(`package-lock.json says ${lock.version}: run npm install --package-lock-only`);
  if (!read('CHANGELOG.md').includes(`## [${version}]`)) warnings.push(`CHANGELOG.md has no section [${version}]`);
  for (const overlay of ['single', 'cluster']) {
    const file = `deploy/kubernetes/overlays/${overlay}/kustomization.yaml`;
    if (existsSync(join(ROOT, file)) && !read(file).includes(`newTag: ${version}`))
      warnings.push(`${file} names another version of the image`);
  }
  return warnings;
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

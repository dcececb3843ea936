import { hash } from 'node:crypto';
import { createWriteStream, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { debianArchitecture } from './debian-root.ts';
import { listEntries } from './list-entries.ts';
import type { Architecture } from './options.ts';
import { type TarEntry, tarOf, writeTarGz } from './write-tar.ts';

const USER = { uid: 1000, gid: 1000 };
const DATA_DIR = '/srv/tramontane/data';
const ENVIRONMENT = {
  PATH: '/app:/usr/local/bin:/usr/bin:/bin',
  HOME: '/home/tramontane',
  NODE_ENV: 'production',
  TRAMONTANE_HOST: '0.0.0.0',
  TRAMONTANE_PORT: '4747',
  TRAMONTANE_DATA_DIR: DATA_DIR,
};

type Given = {
  file: string;
  /** The root file system, and the staged program. */
  root: string;
  program: string;
  architecture: Architecture;
  version: string;
  mtime: number;
  workDir: string;
};

/** Writes an OCI image as one file that docker load, podman load and skopeo copy oci-archive: take. */
export async function writeImage({ file, root, program, architecture, version, mtime, workDir }: Given): Promise<void> {
  const blobs = join(workDir, `blobs-${architecture}`);
  rmSync(blobs, { recursive: true, force: true });
  mkdirSync(blobs, { recursive: true });
  const layers = [
    await writeLayer(blobs, [...listEntries(root, ''), ...ownPlaces(architecture)], mtime),
    await writeLayer(blobs, listEntries(program, 'app'), mtime),
  ];
  const created = new Date(mtime * 1000).toISOString();
  const config = addBlob({
    created,
    architecture: debianArchitecture(architecture),
    os: 'linux',
    config: {
      User: `${USER.uid}:${USER.gid}`,
      ExposedPorts: { '4747/tcp': {}, '4748/tcp': {} },
      Env: Object.entries(ENVIRONMENT).map(([name, value]) => `${name}=${value}`),
      Cmd: ['tramontane', 'start'],
      WorkingDir: '/app',
      Volumes: { [DATA_DIR]: {} },
      StopSignal: 'SIGTERM',
      Labels: labels(version),
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ plainSha256 }) => `sha256:${plainSha256}`) },
    history: [
      { created, comment: 'Debian packages' },
      { created, comment: `Tramontane ${version}` },
    ],
  });
  const manifest = addBlob({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: {
      mediaType: 'application/vnd.oci.image.config.v1+json',
      digest: `sha256:${config.sha256}`,
      size: config.bytes.length,
    },
    layers: layers.map(({ sha256, bytes }) => ({
      mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip',
      digest: `sha256:${sha256}`,
      size: bytes,
    })),
  });
  const index = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [
      {
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        digest: `sha256:${manifest.sha256}`,
        size: manifest.bytes.length,
        platform: { architecture: debianArchitecture(architecture), os: 'linux' },
        annotations: {
          'org.opencontainers.image.ref.name': version,
          'io.containerd.image.name': `docker.io/library/tramontane:${version}`,
        },
      },
    ],
  };
  const blob = (sha256: string) => `blobs/sha256/${sha256}`;
  // For docker load before version 25.
  const docker = [
    {
      Config: blob(config.sha256),
      RepoTags: [`tramontane:${version}`],
      Layers: layers.map(({ sha256 }) => blob(sha256)),
    },
  ];
  const text = (path: string, value: unknown): TarEntry => ({
    kind: 'file',
    path,
    mode: 0o644,
    source: Buffer.from(JSON.stringify(value)),
  });
  const entries: TarEntry[] = [
    { kind: 'dir', path: 'blobs', mode: 0o755 },
    { kind: 'dir', path: 'blobs/sha256', mode: 0o755 },
    ...[config, manifest].map(
      ({ sha256, bytes }): TarEntry => ({ kind: 'file', path: blob(sha256), mode: 0o644, source: bytes }),
    ),
    ...layers.map(({ sha256, path }): TarEntry => ({ kind: 'file', path: blob(sha256), mode: 0o644, source: path })),
    text('index.json', index),
    text('manifest.json', docker),
    text('oci-layout', { imageLayoutVersion: '1.0.0' }),
  ];
  await pipeline(Readable.from(tarOf(entries, mtime)), createWriteStream(file));
  if (statSync(file).size === 0) throw new Error(`${file} is empty.`);
}

/** The places that the program writes to, and the names by which its commands are found. */
function ownPlaces(architecture: Architecture): TarEntry[] {
  return [
    { kind: 'dir', path: 'tmp', mode: 0o1777 },
    { kind: 'dir', path: 'home', mode: 0o755 },
    { kind: 'dir', path: 'home/tramontane', mode: 0o700, ...USER },
    { kind: 'dir', path: 'srv', mode: 0o755 },
    { kind: 'dir', path: 'srv/tramontane', mode: 0o755, ...USER },
    { kind: 'dir', path: DATA_DIR.slice(1), mode: 0o700, ...USER },
    {
      kind: 'link',
      path: 'usr/local/bin/node',
      mode: 0o777,
      target: `/app/node_modules/node-linux-${architecture}/bin/node`,
    },
  ];
}

async function writeLayer(blobs: string, entries: TarEntry[], mtime: number) {
  const unnamed = join(blobs, 'layer');
  // The last entry of a path counts, as for a file that is replaced.
  const unique = [...new Map(entries.map((entry) => [entry.path, entry])).values()];
  const written = await writeTarGz(unnamed, unique, mtime);
  const path = join(blobs, written.sha256);
  renameSync(unnamed, path);
  return { ...written, path };
}

function addBlob(value: unknown): { bytes: Buffer; sha256: string } {
  const bytes = Buffer.from(JSON.stringify(value));
  return { bytes, sha256: hash('sha256', bytes) };
}

function labels(version: string): Record<string, string> {
  return {
    'org.opencontainers.image.title': 'Tramontane',
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': 'Apache-2.0',
    'org.opencontainers.image.base.name': 'debian',
  };
}

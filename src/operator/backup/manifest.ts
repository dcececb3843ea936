import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { migrations } from '../../../migrations/index.ts';
import { version } from '../../config/version.ts';
import { compareVersions } from '../../kit/db/index.ts';
import { CommandFailure } from '../command-failure.ts';

export const MANIFEST = 'manifest.json';
export const DATABASE_FILES = { sqlite: 'tramontane.db', postgres: 'tramontane.dump' } as const;
export const BLOBS = 'blobs';

// A path is joined to the data dir on restore, so it must not leave it.
const BLOB_PATH = /^blobs(\/[0-9A-Za-z_-][0-9A-Za-z._-]*)+$/;
const BlobFile = z.string().regex(BLOB_PATH);

/** Other files among the blobs, such as those of a file manager, are not backed up. */
export function isBlobPath(path: string): boolean {
  return BLOB_PATH.test(path);
}

const ManifestFile = z.strictObject({
  path: z.union([z.enum(DATABASE_FILES), BlobFile]),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type ManifestFile = z.infer<typeof ManifestFile>;

export const Manifest = z.strictObject({
  format: z.literal(1),
  kind: z.enum(['sqlite', 'postgres']),
  program_version: z.string(),
  created_at: z.string(),
  migrations: z.array(z.string()),
  files: z.array(ManifestFile),
});
export type Manifest = z.infer<typeof Manifest>;

/** The manifest of a complete backup that this program can read; otherwise a CommandFailure says why. */
export async function readManifest(dir: string): Promise<Manifest> {
  const text = await readFile(join(dir, MANIFEST), 'utf8').catch((cause: unknown) => {
    throw new CommandFailure(`${dir} is not a backup: it has no readable ${MANIFEST}.`, { cause });
  });
  const value = parseJson(text);
  // Checked before the shape, which a newer program may have changed.
  const header = z.object({ program_version: z.string() }).safeParse(value);
  if (header.success && compareVersions(version, header.data.program_version) < 0) {
    throw new CommandFailure(
      `This backup was made by tramontane ${header.data.program_version}; this is ${version}. Restore it with that program or a newer one.`,
    );
  }
  const manifest = Manifest.safeParse(value);
  const database = manifest.data?.files.some(({ path }) => path === DATABASE_FILES[manifest.data.kind]);
  if (!manifest.success || !database) {
    throw new CommandFailure(`The ${MANIFEST} of ${dir} is damaged. Use another backup.`, { cause: manifest.error });
  }
  const unknown = manifest.data.migrations.filter((name) => !migrations.some((known) => known.name === name));
  if (unknown.length > 0) {
    throw new CommandFailure(
      `This backup needs a newer program: tramontane ${version} does not know ${unknown.join(', ')}.`,
    );
  }
  return manifest.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

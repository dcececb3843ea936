import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Logger } from '../kit/base/log.ts';
import { createFileKeyring, createFixedKeyring, type Keyring, SECRET_KEY_FILE } from '../kit/secrets/index.ts';

/** The keys of the environment, else those of the data dir. */
export function openKeyring({ dataDir, secretKeys }: Pick<Config, 'dataDir' | 'secretKeys'>, log: Logger): Keyring {
  if (secretKeys.length > 0) return createFixedKeyring(secretKeys);
  const file = join(dataDir, SECRET_KEY_FILE);
  return createFileKeyring(file, () =>
    log.warn(
      { file },
      'a key for credentials was created; back it up, and give every server of this database the same key (TRAMONTANE_SECRETS_KEY)',
    ),
  );
}

import { createFixedKeyring, createSecretBox } from '../../src/kit/secrets/index.ts';

/** For services that seal secrets and are tested without a server. */
export const boxForTests = createSecretBox(createFixedKeyring([Buffer.alloc(32, 7).toString('base64')]));

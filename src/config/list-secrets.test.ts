import { expect, it } from 'vitest';
import { loadConfig } from './config.ts';
import { listSecrets } from './list-secrets.ts';
import { FileConfig } from './schema.ts';

it('finds every secret that can be set, and the secret parts of every address', () => {
  const url = 'http://user:of-an-address@a.test/v1?key=of-a-query';
  const config = {
    ...loadConfig({
      TRAMONTANE_BOOTSTRAP_API_KEY: 'first-key-0123456789-0123456789-0123',
      TRAMONTANE_BOOTSTRAP_ADMIN_KEY: 'admin-key-0123456789-0123456789-0123',
      TRAMONTANE_DATABASE_URL: 'postgres://user:of-the-database@db.test/x',
      HF_TOKEN: 'of-the-hub',
    }),
    file: FileConfig.parse({
      models: [
        { id: 'a', engine: 'upstream', url, api_key: 'of-a-model', fallbacks: [{ url, api_key: 'of-a-fallback' }] },
        { id: 'b', engine: 'llama', weights: 'https://user:of-weights@a.test/w.gguf?token=of-more-weights' },
      ],
      mail: { host: 'mail.test', user: 'u', password: 'of-mail', from: 'a@b.test' },
      tools: {
        web_search: { provider: 'brave', api_key: 'of-a-search' },
        image_generation: { url: 'http://a.test', api_key: 'of-images' },
      },
      connectors: [
        { id: 'c', url: 'http://c.test', headers: { authorization: 'Bearer of-a-connector', 'x-c': 'of-a-header' } },
      ],
      workflows: { encryption_keys: [Buffer.alloc(32, 1).toString('base64')] },
    }),
  };
  const found = listSecrets(config);
  for (const secret of [
    'first-key-0123456789-0123456789-0123',
    'admin-key-0123456789-0123456789-0123',
    'of-the-database',
    'of-the-hub',
    'of-an-address',
    'of-a-query',
    'of-a-model',
    'of-a-fallback',
    'of-weights',
    'of-more-weights',
    'of-mail',
    'of-a-search',
    'of-images',
    'of-a-connector',
    'of-a-header',
    Buffer.alloc(32, 1).toString('base64'),
  ])
    expect(found).toContain(secret);
  for (const known of ['a.test', 'user', 'Bearer', 'c', 'brave']) expect(found).not.toContain(known);
});

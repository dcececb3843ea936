import type { Config } from './config.ts';

const SECRET_NAME = /(^|_)(api_key|password|token|secret)$|^encryption_keys$|^(headers|env)$/;

/** Every secret of the configuration, so that the log can mask it. */
export function listSecrets(
  config: Pick<Config, 'file' | 'bootstrap' | 'huggingFace' | 'database' | 'blobs' | 'otlpEndpoint' | 'secretKeys'>,
) {
  const { file, bootstrap, huggingFace, database, blobs, otlpEndpoint } = config;
  const url = database.kind === 'postgres' ? database.url : undefined;
  const { secretAccessKey, sessionToken } = blobs.kind === 's3' ? blobs.credentials : {};
  const named = [
    bootstrap.apiKey,
    bootstrap.adminKey,
    huggingFace.token,
    secretAccessKey,
    sessionToken,
    ...config.secretKeys,
  ].filter((one) => one !== undefined);
  return [...named, ...collectSecrets({ file, url, otlpEndpoint, mirror: huggingFace.baseUrl }, false)];
}

/** All strings below a key with the name of a secret, and the secret parts of every address. */
function collectSecrets(value: unknown, isSecret: boolean): string[] {
  if (typeof value === 'string') return [...(isSecret ? withAndWithoutScheme(value) : []), ...secretsOfAddress(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => collectSecrets(one, isSecret || SECRET_NAME.test(name)));
}

/** Also without the scheme, such as `Bearer`. */
function withAndWithoutScheme(text: string): string[] {
  const [, credentials] = /^[A-Za-z]+ (\S+)$/.exec(text) ?? [];
  return credentials === undefined ? [text] : [text, credentials];
}

function secretsOfAddress(address: string): string[] {
  const url = address.includes('://') ? URL.parse(address) : null;
  if (!url) return [];
  return [url.password, decodeURIComponent(url.password), ...url.searchParams.values()].filter((one) => one !== '');
}

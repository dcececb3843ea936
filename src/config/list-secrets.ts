import type { Config } from './config.ts';

const SECRET_NAME = /(^|_)(api_key|password|token|secret)$|^encryption_keys$|^headers$/;

/** Every secret that the operator has set, so that the log can be kept clean of it, whatever library says it. */
export function listSecrets(config: Pick<Config, 'file' | 'bootstrap' | 'huggingFace' | 'database' | 'otlpEndpoint'>) {
  const { file, bootstrap, huggingFace, database, otlpEndpoint } = config;
  const url = database.kind === 'postgres' ? database.url : undefined;
  const named = [bootstrap.apiKey, bootstrap.adminKey, huggingFace.token].filter((one) => one !== undefined);
  return [...named, ...textsIn({ file, url, otlpEndpoint, mirror: huggingFace.baseUrl }, false)];
}

/** All texts below a name that is a secret's, and the secret parts of every address. */
function textsIn(value: unknown, isSecret: boolean): string[] {
  if (typeof value === 'string') return [...(isSecret ? withoutScheme(value) : []), ...secretsOfAddress(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => textsIn(one, isSecret || SECRET_NAME.test(name)));
}

/** `Bearer …` is known to everybody; what follows is not. */
function withoutScheme(text: string): string[] {
  const [, credentials] = /^[A-Za-z]+ (\S+)$/.exec(text) ?? [];
  return credentials === undefined ? [text] : [text, credentials];
}

function secretsOfAddress(address: string): string[] {
  const url = address.includes('://') ? URL.parse(address) : null;
  if (!url) return [];
  return [url.password, decodeURIComponent(url.password), ...url.searchParams.values()].filter((one) => one !== '');
}

import { SourceFailed } from '../weights/errors.ts';
import { explainStatus, get } from '../weights/http.ts';
import { GPU_SCOPE, type GpuPackage, RUNTIME_VERSION } from './packages.ts';
import type { Registry } from './read-registry.ts';

const METADATA_BYTES_MAX = 16 << 20;
const PUBLIC_HOST = 'registry.npmjs.org';

type Tarball = { url: string; authorization: string | undefined };

/** Asks the registry where the package is, as npm does: mirrors keep it at addresses of their own. */
export async function findTarball(
  registry: Registry,
  { name, integrity }: GpuPackage,
  options: { answerMs: number; signal: AbortSignal },
): Promise<Tarball> {
  const answer = await get(new URL(`${GPU_SCOPE}%2f${name}`, withoutUser(registry.url)).href, {
    ...options,
    idleMs: options.answerMs,
    authorization: registry.authorization,
    headers: { accept: 'application/vnd.npm.install-v1+json, application/json' },
  });
  if (answer.statusCode !== 200) {
    await answer.body.dump();
    throw new SourceFailed(explainStatus(answer.statusCode));
  }
  const { dist } = versionIn(await readText(answer.body)) ?? {};
  if (typeof dist?.tarball !== 'string' || !URL.canParse(dist.tarball))
    throw new SourceFailed(`it does not have version ${RUNTIME_VERSION} of ${GPU_SCOPE}/${name}`);
  if (dist.integrity !== undefined && dist.integrity !== integrity)
    throw new SourceFailed(`it has another ${GPU_SCOPE}/${name} ${RUNTIME_VERSION} than the one that is pinned`);
  return toTarball(registry, new URL(dist.tarball));
}

function toTarball({ url: registry, authorization }: Registry, url: URL): Tarball {
  // A mirror may pass on the public registry's own addresses, which this machine need not reach.
  const isPublic = url.host === PUBLIC_HOST && registry.host !== PUBLIC_HOST;
  const tarball = isPublic ? new URL(url.pathname.slice(1), withoutUser(registry)) : url;
  if (registry.protocol === 'https:' && tarball.host === registry.host) tarball.protocol = 'https:';
  if (tarball.protocol !== 'https:' && tarball.origin !== registry.origin)
    throw new SourceFailed('it names an address of the package that is not https');
  return { url: tarball.href, authorization: tarball.origin === registry.origin ? authorization : undefined };
}

function withoutUser(url: URL): URL {
  const bare = new URL(url);
  bare.username = bare.password = '';
  return bare;
}

function versionIn(text: string): { dist?: { tarball?: unknown; integrity?: unknown } } | undefined {
  try {
    return JSON.parse(text).versions?.[RUNTIME_VERSION];
  } catch {
    throw new SourceFailed('what it answered is not the metadata of a package');
  }
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > METADATA_BYTES_MAX) throw new SourceFailed('its answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

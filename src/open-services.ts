import type { Services } from './app.ts';
import { createAuditFollower } from './audit/index.ts';
import { createChatService } from './chat/index.ts';
import { processEnvironment } from './config/environment.ts';
import type { Config } from './config.ts';
import { createEmbeddingService } from './embeddings/index.ts';
import { systemClock } from './kit/base/clock.ts';
import type { Logger } from './kit/base/log.ts';
import { createSignal, loadSecret } from './kit/db/index.ts';
import { type Authenticate, createPageTokens, type Metrics } from './kit/http/index.ts';
import { createListWatch, createMcpService, createPublication } from './mcp/index.ts';
import { createMeter, createMetering, type Metering } from './metering/index.ts';
import { createModelService } from './models/index.ts';
import { type OnPullProgress, openModels } from './open-models.ts';
import type { Platform } from './open-platform.ts';
import { createPromptService } from './prompts/index.ts';
import { createSkillService } from './skills/index.ts';
import { version } from './version.ts';

export type OpenedServices = { services: Services; metering: Metering; close(): Promise<void> };

/** The rooms' services on an open platform: engines first, then who counts, then who answers. */
export async function openServices(options: {
  config: Config;
  platform: Platform;
  log: Logger;
  metrics: Metrics;
  authenticate: Authenticate;
  onPullProgress?: OnPullProgress | undefined;
}): Promise<OpenedServices> {
  const { config, platform, log, metrics, authenticate } = options;
  const { database, audit, tenants, keysSignal } = platform;
  const prices = new Map(config.file.models.map(({ id, price }) => [id, price]));
  const metering = createMetering({
    database,
    audit,
    now: systemClock,
    log,
    registry: metrics.registry,
    prices: (model) => prices.get(model),
  });
  await metering.start();
  const opened = openModels(config, log, processEnvironment(), options.onPullProgress);
  const models = createModelService({
    database,
    signal: createSignal(database, 'models', systemClock),
    now: systemClock,
    models: opened.models,
    sampleAliases: config.file.sample_aliases,
    openFineTuned: ({ root, file, adapter }) => opened.openTuned(root, file, adapter),
  });
  await models.start();
  opened.prepare();
  const meter = createMeter(metering);
  const follower = createAuditFollower(database);
  const tokens = createPageTokens(await loadSecret(database, 'page-tokens', systemClock));
  const prompts = createPromptService({ database, audit, tokens, now: systemClock });
  const skills = createSkillService({ database, audit, tokens, now: systemClock });
  return {
    services: {
      tenants,
      models,
      chat: createChatService({ models, prompts, now: systemClock, meter }),
      embeddings: createEmbeddingService({ models, now: systemClock, meter }),
      prompts,
      skills,
      mcp: createMcpService({
        skills,
        prompts,
        version,
        log,
        registry: metrics.registry,
        watch: createListWatch({ follower, keysSignal, authenticate }),
      }),
      publication: createPublication({
        catalogue: skills.catalogue,
        workspaceId: config.file.published_workspace,
      }),
    },
    metering,
    async close() {
      follower.stop();
      skills.stop();
      await models.stop();
      await opened.close();
      await metering.stop();
    },
  };
}

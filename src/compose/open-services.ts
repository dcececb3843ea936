import { createAdminService, createInvitationDelivery } from '../admin/index.ts';
import { createAgentService } from '../agents/index.ts';
import { roomRoutes, type Services } from '../app.ts';
import { createAuditFollower } from '../audit/index.ts';
import type { InteractiveRequests } from '../batch/index.ts';
import { createChatService } from '../chat/index.ts';
import type { Config } from '../config/config.ts';
import { processEnvironment } from '../config/environment.ts';
import { version } from '../config/version.ts';
import { createConversationService } from '../conversations/index.ts';
import { createEmbeddingService } from '../embeddings/index.ts';
import { createFileService } from '../files/index.ts';
import { createGuardrailService } from '../guardrails/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import { createSignal, loadSecret } from '../kit/db/index.ts';
import { createEvents } from '../kit/events/index.ts';
import { type Authenticate, createPageTokens, type Metrics } from '../kit/http/index.ts';
import { createMailer } from '../kit/mail/index.ts';
import { createOutbound, createPublicUrlCheck } from '../kit/outbound/index.ts';
import { createTasks } from '../kit/tasks/index.ts';
import { createListWatch, createMcpService, createPublication } from '../mcp/index.ts';
import { createMeter, createMetering, type Metering } from '../metering/index.ts';
import { createModelService } from '../models/index.ts';
import { createOcrService } from '../ocr/index.ts';
import { createPromptService } from '../prompts/index.ts';
import { createSkillService } from '../skills/index.ts';
import { openSpeech } from '../speech/index.ts';
import { createWorkflowService } from '../workflows/index.ts';
import { limitDefaults } from './limit-defaults.ts';
import type { OnPullProgress } from './locate-weights.ts';
import { openBatch } from './open-batch.ts';
import { openBlobs } from './open-blobs.ts';
import { openConsoleService } from './open-console-service.ts';
import { openConversationTools } from './open-conversation-tools.ts';
import { openModels } from './open-models.ts';
import type { Platform } from './open-platform.ts';
import { openTemporal } from './open-temporal.ts';

/** How long a stopping server waits for running conversations; another server resumes the rest. */
const RUNS_STOP_MS = 5000;

const MEBIBYTE = 1024 * 1024;

export type OpenedServices = { services: Services; metering: Metering; close(): Promise<void> };

/** The rooms' services on an open platform. */
export async function openServices(options: {
  config: Config;
  platform: Platform;
  log: Logger;
  metrics: Metrics;
  authenticate: Authenticate;
  interactive: InteractiveRequests;
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
    defaults: limitDefaults(config),
  });
  await metering.start();
  const opened = openModels(config, log, processEnvironment(), options.onPullProgress);
  const models = createModelService({
    database,
    signal: createSignal(database, 'models', systemClock),
    now: systemClock,
    models: opened.models,
    audit,
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
  const guardrails = createGuardrailService({ models, now: systemClock, log, meter });
  const chat = createChatService({
    models,
    prompts,
    guardrails,
    now: systemClock,
    meter,
    mayFetch: createPublicUrlCheck(config.file.outbound.allow),
  });
  const agents = createAgentService({ database, audit, tokens, chat, now: systemClock });
  const files = createFileService({
    database,
    audit,
    organizationOf: tenants.organizationOf,
    blobs: openBlobs(config, 'files'),
    now: systemClock,
    bytesMax: config.file.server.file_limit_mib * MEBIBYTE,
    publicUrl: config.publicUrl,
  });
  const speech = openSpeech({
    database,
    blobs: openBlobs(config, 'voices'),
    audit,
    models,
    meter,
    now: systemClock,
  });
  const documentBytesMax = config.file.ocr.document_limit_mib * MEBIBYTE;
  const documents = createOutbound({ allow: config.file.outbound.allow, bodyBytesMax: documentBytesMax });
  const ocr = createOcrService({
    files,
    outbound: documents,
    bytesMax: documentBytesMax,
    models,
    chat,
    annotationModel: config.file.ocr.annotation_model,
    meter,
    now: systemClock,
  });
  const tools = openConversationTools(config, { files, skills }, log);
  const events = createEvents({ database, now: systemClock });
  const tasks = createTasks({ database, now: systemClock });
  const conversations = createConversationService({
    database,
    events,
    tasks,
    chat,
    agents,
    openTools: tools.open,
    now: systemClock,
    log,
  });
  conversations.startRuns();
  const temporal = await openTemporal(options);
  const workflows = await createWorkflowService({
    database,
    events,
    audit,
    tokens,
    blobs: openBlobs(config, 'workflows'),
    encryptionKeys: config.file.workflows.encryption_keys.map((key) => Buffer.from(key, 'base64')),
    retentionDays: config.file.workflows.retention_days,
    temporal,
    organizationOf: tenants.organizationOf,
    tokenSecret: await loadSecret(database, 'workflow-execution-tokens', systemClock),
    now: systemClock,
    log,
  });
  await workflows.start();
  const mail = config.file.mail && (await createMailer(config.file.mail));
  const delivery = mail && createInvitationDelivery({ database, tenants, mailer: mail, now: systemClock, log });
  delivery?.start();
  const served: Omit<Services, 'batch'> = {
    tenants,
    models,
    chat,
    embeddings: createEmbeddingService({ models, now: systemClock, meter }),
    agents,
    conversations,
    prompts,
    skills,
    guardrails,
    files,
    ocr,
    speech: speech.speech,
    voices: speech.voices,
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
    admin: createAdminService({
      database,
      audit,
      tenants,
      metering,
      now: systemClock,
      currency: config.file.currency,
      prices: () => prices,
      publicUrl: config.publicUrl,
    }),
    workflows,
    webConsole: openConsoleService({ config, platform, metering, models, tasks, agents, prompts, skills, log }),
  };
  const batch = openBatch({
    config,
    database,
    tasks,
    files,
    routes: roomRoutes(served as Services),
    lastArrivalMs: options.interactive.lastMs,
    log,
  });
  batch.start();
  return {
    services: { ...served, batch },
    metering,
    async close() {
      await batch.stop(0);
      await served.webConsole.stop();
      await temporal?.close();
      await workflows.stop();
      await delivery?.stop();
      await conversations.stopRuns(RUNS_STOP_MS);
      await events.stop();
      await tools.close();
      await documents.close();
      await speech.stop();
      follower.stop();
      await models.stop();
      await opened.close();
      await metering.stop();
    },
  };
}

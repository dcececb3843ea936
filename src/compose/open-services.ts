import { join } from 'node:path';
import { createAdminService, createInvitationDelivery } from '../admin/index.ts';
import { createAgentService } from '../agents/index.ts';
import { roomRoutes, type Services } from '../app.ts';
import { createAuditFollower } from '../audit/index.ts';
import type { BatchService, InteractiveRequests } from '../batch/index.ts';
import { createChatService } from '../chat/index.ts';
import { createClassifierService, createTrainingService } from '../classifiers/index.ts';
import type { Config } from '../config/config.ts';
import { processEnvironment } from '../config/environment.ts';
import type { ModelConfig } from '../config/schema.ts';
import { version } from '../config/version.ts';
import { createConversationService } from '../conversations/index.ts';
import { createDatasetService } from '../datasets/index.ts';
import {
  createAnthropicService,
  createOpenAiResponseService,
  createOpenAiService,
  createOpenAiTranscriptionService,
  createResponseService,
} from '../dialects/index.ts';
import { createEmbeddingService } from '../embeddings/index.ts';
import { createTrainedClassifier, MULTILINGUAL_EMBEDDINGS_ID } from '../engines/index.ts';
import { createFileService } from '../files/index.ts';
import { createGuardrailService } from '../guardrails/index.ts';
import { createJudgeService } from '../judges/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import { createSignal, loadSecret } from '../kit/db/index.ts';
import { createEvents } from '../kit/events/index.ts';
import { type Authenticate, createPageTokens, createQueueMetrics, type Metrics } from '../kit/http/index.ts';
import { createMailer } from '../kit/mail/index.ts';
import { createOutbound, createPublicUrlCheck } from '../kit/outbound/index.ts';
import { createSecretBox } from '../kit/secrets/index.ts';
import { createTasks } from '../kit/tasks/index.ts';
import { createConnectorGateway, createListWatch, createMcpService, createPublication } from '../mcp/index.ts';
import { createMeter, createMetering, type Metering } from '../metering/index.ts';
import { createModelService } from '../models/index.ts';
import { createDocumentReader, createOcrService, createPageRecognizer } from '../ocr/index.ts';
import { createQuarantine } from '../operator/quarantine.ts';
import { createPromptService } from '../prompts/index.ts';
import { createRetrievalService } from '../retrieval/index.ts';
import { createSkillService } from '../skills/index.ts';
import { openSpeech } from '../speech/index.ts';
import type { Authority, ClientTokens } from '../tenants/index.ts';
import { createTraceService } from '../traces/index.ts';
import {
  createAudioListener,
  createAudioStage,
  createClientSessionService,
  createLiveTranscriptionService,
  createRecordingReader,
  createTranscriptionService,
} from '../transcription/index.ts';
import { createWorkflowService } from '../workflows/index.ts';
import { createSummarizer } from './create-summarizer.ts';
import { limitDefaults } from './limit-defaults.ts';
import { limitStorage } from './limit-storage.ts';
import type { OnPullProgress } from './locate-weights.ts';
import { openBatch } from './open-batch.ts';
import { openBlobs } from './open-blobs.ts';
import { openConnectors } from './open-connectors.ts';
import { openConsoleService } from './open-console-service.ts';
import { openConversationTools } from './open-conversation-tools.ts';
import { openEvaluations } from './open-evaluations.ts';
import { openKeyring } from './open-keyring.ts';
import { openLibraries } from './open-libraries.ts';
import { openModelSettings } from './open-model-settings.ts';
import { openModels } from './open-models.ts';
import { openNotifications } from './open-notifications.ts';
import type { Platform } from './open-platform.ts';
import { openTemporal } from './open-temporal.ts';
import { openWebhooks } from './open-webhooks.ts';
import { readPrices } from './read-prices.ts';
import { requiredWeights } from './required-weights.ts';
import { showDevices } from './show-devices.ts';
import { watchQuarantine } from './watch-quarantine.ts';

/** How long a stopping server waits for running conversations; another server resumes the rest. */
const RUNS_STOP_MS = 5000;

const MEBIBYTE = 1024 * 1024;
/** For audio of hours at an address. */
const AUDIO_FETCH_MS = 15 * 60 * 1000;

export type OpenedServices = {
  services: Services;
  metering: Metering;
  /** Begins stored work, which must not keep the server from listening. */
  startWork(): Promise<void>;
  close(): Promise<void>;
};

/** The rooms' services on an open platform. */
export async function openServices(options: {
  config: Config;
  platform: Platform;
  log: Logger;
  metrics: Metrics;
  authenticate: Authenticate;
  authority: Authority;
  clientTokens: ClientTokens;
  interactive: InteractiveRequests;
  onPullProgress?: OnPullProgress | undefined;
}): Promise<OpenedServices> {
  const { config, platform, log, metrics, authenticate, authority } = options;
  const { database, audit, tenants, keysSignal } = platform;
  const { announce } = platform.announcer;
  const { file, publicUrl } = config;
  const { registry } = metrics;
  const { organizationOf } = tenants;
  const common = { database, audit, now: systemClock, log };

  const { prices, limitsOf, sourceOf, setStored: setStoredPrices } = readPrices(file);
  const metering = createMetering({
    ...common,
    registry,
    prices: (model) => prices.get(model),
    modelLimits: limitsOf,
    defaults: limitDefaults(config),
  });
  await metering.start();
  const tokens = createPageTokens(await loadSecret(database, 'page-tokens', systemClock));
  const traces = createTraceService({
    ...common,
    tokens,
    registry,
    priceSource: sourceOf,
    isOn: file.traces.enabled,
    retentionDays: file.traces.retention_days,
    contents: {
      isAllowed: file.traces.contents.allowed,
      retentionDays: Math.min(file.traces.contents.retention_days, file.traces.retention_days),
      charactersMax: file.traces.contents.max_kib * 1024,
      redact: file.traces.contents.redact,
    },
  });
  await traces.start();
  const meter = createMeter(metering, traces);
  const { watch, report: reportQueues } = createQueueMetrics(registry);
  const opened = openModels(config, log, processEnvironment(), options.onPullProgress, watch);
  showDevices(registry, opened.devices);
  const modelsSignal = createSignal(database, 'models', systemClock);
  const models = createModelService({
    ...common,
    signal: modelsSignal,
    models: opened.models,
    sampleAliases: file.sample_aliases,
    listAliases: file.list_aliases,
    openFineTuned: ({ root, file, adapter }) => opened.openTuned(root, file, adapter),
    openClassifier: (definition, root) => createTrainedClassifier(root.engine, definition),
  });
  await models.start();
  let storedConfigs: ModelConfig[] = [];
  const configOf = (id: string) => [...file.models, ...storedConfigs].find((model) => model.id === id);
  const { modelSettings, close: closeModelSettings } = openModelSettings(config, platform, log, {
    open: opened.openStored,
    async apply(served) {
      const configs = served.map((one) => one.config);
      opened.setStored(configs);
      setStoredPrices(configs);
      storedConfigs = configs;
      await models.replaceStored(served.map(({ model }) => model));
    },
  });
  await modelSettings.start();
  opened.prepare();

  let stopWatching = async () => {};
  const follower = createAuditFollower(database);
  const prompts = createPromptService({ ...common, tokens });
  const skills = createSkillService({ ...common, tokens, announce });
  const guardrails = createGuardrailService({ ...common, models, meter });
  const mayFetch = createPublicUrlCheck(file.outbound.allow);
  const tasks = createTasks(common);
  const files = createFileService({
    ...common,
    tasks,
    organizationOf,
    blobs: openBlobs(config, 'files'),
    bytesMax: file.server.file_limit_mib * MEBIBYTE,
    publicUrl,
  });
  const bytesMax = file.ocr.document_limit_mib * MEBIBYTE;
  const outbound = createOutbound({ allow: file.outbound.allow, bodyBytesMax: bytesMax });
  const documents = createDocumentReader({ ...common, files, outbound, bytesMax, models, meter });
  const audioBytesMax = file.transcription.file_limit_mib * MEBIBYTE;
  const hearing = {
    ...common,
    files,
    outbound: createOutbound({ allow: file.outbound.allow, bodyBytesMax: audioBytesMax, timeoutMs: AUDIO_FETCH_MS }),
    stage: createAudioStage(join(config.dataDir, 'audio')),
    bytesMax: audioBytesMax,
    models,
    meter,
  };
  const audio = createAudioListener(hearing);
  const chat = createChatService({ ...common, models, prompts, guardrails, meter, mayFetch, documents, audio });
  const classifiers = createClassifierService({ ...common, models, meter });
  const classifierTrainings = createTrainingService({
    ...{ ...common, tasks, authority, files, models, meter, signal: modelsSignal },
    embeddingModel: file.search.embedding_model ?? MULTILINGUAL_EMBEDDINGS_ID,
  });
  const judges = createJudgeService({ ...common, chat, classifiers });
  const agents = createAgentService({ ...common, tokens, chat });
  const speech = openSpeech({
    ...common,
    tasks,
    blobs: openBlobs(config, 'voices'),
    tokens,
    models,
    meter,
    watch: watch('audio_encoding'),
  });
  const annotationModel = file.ocr.annotation_model;
  const ocr = createOcrService({ ...common, files, outbound, bytesMax, models, chat, annotationModel, meter });

  const embeddings = createEmbeddingService({ ...common, models, meter });
  const retrieval = createRetrievalService({
    ...common,
    models,
    embeddings,
    authority,
    tokens,
    embeddingModel: file.search.embedding_model ?? file.models.find(({ id }) => id === MULTILINGUAL_EMBEDDINGS_ID)?.id,
    summarize: createSummarizer(chat, models),
    meter,
    rerankingModel: file.search.reranking_model,
    watch: watch('search'),
  });
  const { libraries, close: closeLibraries } = openLibraries({
    config,
    platform,
    tasks,
    authority,
    metering,
    tokens,
    chat,
    recognize: createPageRecognizer({ ...common, models, meter }),
    transcribe: createRecordingReader(hearing),
    index: retrieval,
    watch,
    log,
  });
  const { connectors, close: closeConnectors } = openConnectors(config, { ...common, tokens, tenants, announce });
  const tools = openConversationTools(config, { files, skills, connectors, libraries, retrieval }, log, watch);
  const events = createEvents(common);
  const conversations = createConversationService({
    ...common,
    events,
    tasks,
    chat,
    agents,
    authority,
    openTools: tools.open,
    announce,
    recordSpan: traces.recordSpan,
    forget: ({ workspace_id }, id) => traces.contents.forgetConversation(workspace_id, id),
  });
  const datasets = createDatasetService({
    ...common,
    tasks,
    files,
    conversations,
    traces,
    judges,
    authority,
    organizationOf,
    publicUrl,
    withinStorage: async (scope, bytes, work) => metering.storage.run(scope, () => bytes, work),
  });
  const temporal = await openTemporal(options);
  const workflows = await createWorkflowService({
    ...common,
    events,
    tokens,
    blobs: openBlobs(config, 'workflows'),
    encryptionKeys: file.workflows.encryption_keys.map((key) => Buffer.from(key, 'base64')),
    retentionDays: file.workflows.retention_days,
    temporal,
    authority,
    organizationOf,
    tokenSecret: await loadSecret(database, 'workflow-execution-tokens', systemClock),
    recordSpan: file.traces.enabled ? traces.recordSpan : undefined,
    announce,
  });
  const box = createSecretBox(openKeyring(config, log));
  const webhooks = openWebhooks(config, { ...common, tasks, authority, box, workflows, conversations, agents });
  const opens = { platform, metering, tasks, authority, box, tokens, log };
  const { notifications, close: closeNotifications } = openNotifications(config, opens);
  const mailer = file.mail && (await createMailer(file.mail));
  const delivery = mailer && createInvitationDelivery({ ...common, tenants, mailer });

  const transcription = createTranscriptionService({ ...hearing, guardrails });
  const quarantine = createQuarantine({ ...platform, executions: workflows.quarantine });
  const openai = createOpenAiService({
    chat,
    agents,
    models,
    embeddings,
    guardrails,
    speech: speech.speech,
    files,
    batch: () => batch,
  });
  const { lastMs: lastArrivalMs } = options.interactive;
  const evaluations = openEvaluations(
    config,
    {
      ...common,
      tasks,
      authority,
      announce,
      judges,
      prompts,
      agents,
      models,
      prices: (model) => prices.get(model),
      traces,
      tokens,
    },
    { datasets, routes: () => routes, lastArrivalMs, watch: watch('evaluations') },
  );
  traces.contents.onForgotten((forgotten) => evaluations.spans.forget(forgotten));
  const served: Omit<Services, 'batch'> = {
    evaluations,
    tenants,
    models,
    modelSettings,
    chat,
    embeddings,
    classifiers,
    classifierTrainings,
    retrieval,
    searchIndexes: retrieval.indexes,
    rag: retrieval.rag,
    agents,
    conversations,
    responses: createResponseService({ chat, agents }),
    openai,
    openaiResponses: createOpenAiResponseService({ chat, agents, conversations }),
    anthropic: createAnthropicService({ chat, agents }),
    prompts,
    skills,
    guardrails,
    files,
    libraries,
    ocr,
    speech: speech.speech,
    liveSpeech: speech.live,
    voices: speech.voices,
    transcription,
    openaiTranscriptions: createOpenAiTranscriptionService({ transcription, models }),
    liveTranscription: createLiveTranscriptionService({ ...hearing, guardrails }),
    clientSessions: createClientSessionService({ ...common, models, tokens: options.clientTokens }),
    connectors,
    connectorGateway: createConnectorGateway({ connectors, version, log }),
    mcp: createMcpService({
      skills,
      prompts,
      libraries,
      version,
      log,
      registry,
      watch: createListWatch({ follower, keysSignal, authenticate }),
    }),
    publication: createPublication({ catalogue: skills.catalogue, workspaceId: file.published_workspace }),
    admin: createAdminService({
      ...common,
      tenants,
      metering,
      currency: file.currency,
      prices: () => prices,
      publicUrl,
    }),
    workflows,
    webhooks,
    notifications,
    traces,
    judges,
    datasets,
    webConsole: openConsoleService({
      config,
      platform,
      metering,
      models,
      tasks,
      ...{ agents, prompts, skills, conversations, workflows, files, libraries, connectors },
      priceOf: (model) => prices.get(model),
      reportQueues,
      quarantine,
      engineOf: (id) => configOf(id)?.engine ?? 'llama',
      offerOf(id) {
        const found = configOf(id);
        const price = prices.get(id);
        return {
          price: price && (price.prompt > 0 || price.completion > 0) ? price : null,
          limits: {
            requests_per_minute: found?.limits.requests_per_minute ?? null,
            tokens_per_minute: found?.limits.tokens_per_minute ?? null,
          },
          base: (found && findBase(found, [...file.models, ...storedConfigs])) ?? null,
          source: found ? (storedConfigs.includes(found) ? 'database' : found.isBuiltin ? 'builtin' : 'file') : null,
        };
      },
      isOperator: modelSettings.isOperator,
      mailer,
      onPulled: opened.openInstalled,
      weightsOf(id) {
        const found = configOf(id);
        return found && requiredWeights(found)[0];
      },
      log,
    }),
  };
  const routes = limitStorage(roomRoutes(served as Services), metering.storage);
  const batch: BatchService = openBatch({
    config,
    database,
    tasks,
    files,
    routes,
    authority,
    lastArrivalMs,
    watch: watch('batch'),
    recordSpan: traces.recordSpan,
    announce,
    log,
  });
  return {
    services: { ...served, batch },
    metering,
    async startWork() {
      conversations.startRuns();
      await workflows.start();
      for (const work of [libraries, batch, datasets, classifierTrainings, webhooks]) work.start();
      for (const work of [retrieval, notifications, evaluations]) await work.start();
      delivery?.start();
      served.webConsole.start();
      stopWatching = watchQuarantine(quarantine, { database, registry, log });
    },
    async close() {
      await stopWatching();
      await evaluations.stop(0);
      await batch.stop(0);
      await closeLibraries();
      await datasets.stop(0);
      await classifierTrainings.stop(0);
      await served.webConsole.stop();
      await webhooks.stop();
      await closeNotifications();
      await temporal?.close();
      await workflows.stop();
      await delivery?.stop();
      await conversations.stopRuns(RUNS_STOP_MS);
      await retrieval.stop();
      await events.stop();
      await tools.close();
      await closeConnectors();
      await outbound.close();
      await speech.stop();
      follower.stop();
      await closeModelSettings();
      await models.stop();
      await opened.close();
      await metering.stop();
      await traces.stop();
    },
  };
}

/** The ledger counts a second of audio as a token of the prompt. */

/** The model whose weights one with a LoRA adapter changes. */
function findBase(model: ModelConfig, all: readonly ModelConfig[]): string | undefined {
  if (model.engine !== 'llama' || model.adapter === undefined) return undefined;
  const isBase = (one: ModelConfig) =>
    one.engine === 'llama' && one.adapter === undefined && one.weights === model.weights;
  return all.find(isBase)?.id;
}

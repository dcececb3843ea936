import { z } from 'zod';
import { type AdminService, adminErrors, adminRoutes } from './admin/index.ts';
import { type AgentService, agentErrors, agentRoutes } from './agents/index.ts';
import { type BatchService, batchErrors, batchRoutes } from './batch/index.ts';
import { type ChatService, chatErrors, chatRoutes } from './chat/index.ts';
import {
  type ClassifierService,
  classifierErrors,
  classifierRoutes,
  type TrainingService,
} from './classifiers/index.ts';
import { type ConnectorService, connectorErrors, connectorRoutes } from './connectors/index.ts';
import { type ConsoleService, consoleErrors, consoleRoutes } from './console/index.ts';
import { type ConversationService, conversationErrors, conversationRoutes } from './conversations/index.ts';
import { type DatasetService, datasetErrors, datasetRoutes } from './datasets/index.ts';
import {
  type AnthropicService,
  anthropicErrorStyle,
  anthropicRoutes,
  dialectErrors,
  type OpenAiResponseService,
  type OpenAiService,
  type OpenAiTranscriptionService,
  openAiErrorStyle,
  openAiResponseRoutes,
  openAiRoutes,
  openAiTranscriptionRoutes,
  type ResponseService,
  responseRoutes,
} from './dialects/index.ts';
import { type EmbeddingService, embeddingErrors, embeddingRoutes } from './embeddings/index.ts';
import { engineErrors } from './engines/index.ts';
import { type EvaluationService, evaluationErrors, evaluationRoutes } from './evaluations/index.ts';
import { type FileService, fileErrors, fileRoutes } from './files/index.ts';
import { type GuardrailService, guardrailErrors, guardrailRoutes } from './guardrails/index.ts';
import { type JudgeService, judgeErrors, judgeRoutes } from './judges/index.ts';
import type { AnyRoute, ErrorStyles, ErrorTable } from './kit/http/index.ts';
import { buildOpenApi, requestErrors } from './kit/http/index.ts';
import { type LibraryService, libraryErrors, libraryRoutes } from './libraries/index.ts';
import {
  type ConnectorGateway,
  connectorGatewayRoutes,
  type McpTransport,
  mcpErrors,
  mcpRoutes,
  type PublicationService,
  publicationRoutes,
} from './mcp/index.ts';
import { meteringErrors } from './metering/index.ts';
import { type ModelSettingsService, modelSettingsErrors, modelSettingsRoutes } from './model-settings/index.ts';
import { type ModelService, modelErrors, modelRoutes } from './models/index.ts';
import { type NotificationService, notificationErrors, notificationRoutes } from './notifications/index.ts';
import { type OcrService, ocrErrors, ocrRoutes } from './ocr/index.ts';
import { type PromptService, promptErrors, promptRoutes } from './prompts/index.ts';
import { registryErrors } from './registry/index.ts';
import { type RetrievalService, ragRoutes, retrievalErrors, searchIndexRoutes } from './retrieval/index.ts';
import { type SkillService, skillErrors, skillRoutes } from './skills/index.ts';
import {
  type LiveSpeechService,
  type SpeechService,
  speechErrors,
  speechRoutes,
  type VoiceService,
  voiceRoutes,
} from './speech/index.ts';
import { type TenantService, tenantErrors, tenantRoutes } from './tenants/index.ts';
import { observabilityErrorStyle, type TraceService, traceErrors, traceRoutes } from './traces/index.ts';
import {
  type ClientSessionService,
  type LiveTranscriptionService,
  liveTranscriptionRoutes,
  type TranscriptionService,
  transcriptionErrors,
  transcriptionRoutes,
} from './transcription/index.ts';
import { type WebhookService, webhookErrors, webhookRoutes } from './webhooks/index.ts';
import { type WorkflowService, workflowErrors, workflowRoutes } from './workflows/index.ts';

export type Services = {
  tenants: TenantService;
  models: ModelService;
  modelSettings: ModelSettingsService;
  chat: ChatService;
  embeddings: EmbeddingService;
  classifiers: ClassifierService;
  classifierTrainings: TrainingService;
  retrieval: RetrievalService;
  searchIndexes: RetrievalService['indexes'];
  rag: RetrievalService['rag'];
  agents: AgentService;
  conversations: ConversationService;
  responses: ResponseService;
  openai: OpenAiService;
  openaiResponses: OpenAiResponseService;
  openaiTranscriptions: OpenAiTranscriptionService;
  anthropic: AnthropicService;
  prompts: PromptService;
  skills: SkillService;
  guardrails: GuardrailService;
  files: FileService;
  libraries: LibraryService;
  ocr: OcrService;
  batch: BatchService;
  speech: SpeechService;
  liveSpeech: LiveSpeechService;
  voices: VoiceService;
  transcription: TranscriptionService;
  liveTranscription: LiveTranscriptionService;
  clientSessions: ClientSessionService;
  connectors: ConnectorService;
  connectorGateway: ConnectorGateway;
  mcp: McpTransport;
  publication: PublicationService;
  admin: AdminService;
  workflows: WorkflowService;
  webhooks: WebhookService;
  notifications: NotificationService;
  traces: TraceService;
  evaluations: EvaluationService;
  judges: JudgeService;
  datasets: DatasetService;
  webConsole: ConsoleService;
};

/** The only list of rooms, by the name of their folder. */
const rooms: Record<string, (services: Services) => AnyRoute[]> = {
  tenants: ({ tenants }) => tenantRoutes(tenants),
  models: ({ models }) => modelRoutes(models),
  'model-settings': ({ modelSettings }) => modelSettingsRoutes(modelSettings),
  chat: ({ chat }) => chatRoutes(chat),
  embeddings: ({ embeddings }) => embeddingRoutes(embeddings),
  classifiers: ({ classifiers, classifierTrainings }) => classifierRoutes(classifiers, classifierTrainings),
  retrieval: ({ searchIndexes, rag }) => [...searchIndexRoutes(searchIndexes), ...ragRoutes(rag)],
  prompts: ({ prompts }) => promptRoutes(prompts),
  skills: ({ skills }) => skillRoutes(skills),
  guardrails: ({ guardrails }) => guardrailRoutes(guardrails),
  agents: ({ agents }) => agentRoutes(agents),
  conversations: ({ conversations }) => conversationRoutes(conversations),
  dialects: ({ responses, openai, openaiResponses, openaiTranscriptions, anthropic }) => [
    ...responseRoutes(responses),
    ...openAiRoutes(openai),
    ...openAiResponseRoutes(openaiResponses),
    ...openAiTranscriptionRoutes(openaiTranscriptions),
    ...anthropicRoutes(anthropic),
  ],
  files: ({ files }) => fileRoutes(files),
  libraries: ({ libraries }) => libraryRoutes(libraries),
  ocr: ({ ocr }) => ocrRoutes(ocr),
  batch: ({ batch }) => batchRoutes(batch),
  speech: ({ speech, liveSpeech, voices }) => [...speechRoutes(speech, liveSpeech), ...voiceRoutes(voices)],
  transcription: ({ transcription, liveTranscription, clientSessions }) => [
    ...transcriptionRoutes(transcription),
    ...liveTranscriptionRoutes(liveTranscription, clientSessions),
  ],
  connectors: ({ connectors }) => connectorRoutes(connectors),
  mcp: ({ mcp, publication, connectorGateway }) => [
    ...mcpRoutes(mcp),
    ...publicationRoutes(publication),
    ...connectorGatewayRoutes(connectorGateway),
  ],
  admin: ({ admin }) => adminRoutes(admin),
  workflows: ({ workflows }) => workflowRoutes(workflows),
  webhooks: ({ webhooks }) => webhookRoutes(webhooks),
  notifications: ({ notifications }) => notificationRoutes(notifications),
  traces: ({ traces }) => traceRoutes(traces),
  evaluations: ({ evaluations }) => evaluationRoutes(evaluations),
  judges: ({ judges }) => judgeRoutes(judges),
  datasets: ({ datasets }) => datasetRoutes(datasets),
  console: ({ webConsole }) => consoleRoutes(webConsole),
};

export function roomRoutes(services: Services): AnyRoute[] {
  return Object.values(rooms).flatMap((routesOf) => routesOf(services));
}

/** The routes of each room without services, for documents: a handler uses its service only when it is called. */
export function documentedRooms(): [room: string, routes: AnyRoute[]][] {
  return Object.entries(rooms).map(([room, routesOf]) => [room, routesOf({} as Services)]);
}

export function documentedRoutes(): AnyRoute[] {
  return roomRoutes({} as Services);
}

/** Every error of the API, room by room; docs/errors.md shows them. */
export const errorTables: Record<string, ErrorTable> = {
  requests: requestErrors,
  tenants: tenantErrors,
  metering: meteringErrors,
  registry: registryErrors,
  engines: engineErrors,
  models: modelErrors,
  'model-settings': modelSettingsErrors,
  chat: chatErrors,
  embeddings: embeddingErrors,
  classifiers: classifierErrors,
  retrieval: retrievalErrors,
  speech: speechErrors,
  transcription: transcriptionErrors,
  ocr: ocrErrors,
  guardrails: guardrailErrors,
  files: fileErrors,
  libraries: libraryErrors,
  prompts: promptErrors,
  skills: skillErrors,
  agents: agentErrors,
  conversations: conversationErrors,
  dialects: dialectErrors,
  connectors: connectorErrors,
  batch: batchErrors,
  workflows: workflowErrors,
  webhooks: webhookErrors,
  notifications: notificationErrors,
  traces: traceErrors,
  evaluations: evaluationErrors,
  judges: judgeErrors,
  datasets: datasetErrors,
  admin: adminErrors,
  mcp: mcpErrors,
  console: consoleErrors,
};

/** What clients of several vendors' APIs call; they show an error only if they find a sentence. */
const INFERENCE_PATHS = [
  '/v1/chat',
  '/v1/fim',
  '/v1/agents/completions',
  '/v1/conversations',
  '/v1/responses',
  '/v1/embeddings',
  '/v1/moderations',
  '/v1/classifications',
  '/v1/ocr',
  '/v1/audio/speech',
  '/v1/audio/transcriptions',
];

/** Families of paths whose errors have another shape than the rest. */
export const errorStyles: ErrorStyles = [
  ...INFERENCE_PATHS.map((path): ErrorStyles[number] => [path, { shape: 'object', explainsValidation: true }]),
  ['/v1/observability', observabilityErrorStyle],
  ['/openai', openAiErrorStyle],
  ['/anthropic', anthropicErrorStyle],
  ['/v1/workflows', { shape: 'coded', validationCode: 'WF_1001' }],
  ['/v2/workflows', { shape: 'coded', validationCode: 'WF_1001' }],
  ['/v1/admin', { shape: 'detail' }],
  ['/v1/invitations', { shape: 'detail' }],
  ['/console', { shape: 'detail' }],
  ['/mcp', { shape: 'detail', unauthorized: 'Invalid API key' }],
];

const ValidationError = z
  .object({
    loc: z.array(z.union([z.string(), z.int()])),
    msg: z.string(),
    type: z.string(),
    input: z.unknown().optional(),
    ctx: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'ValidationError' });

const HTTPValidationError = z
  .object({ detail: z.array(ValidationError).optional() })
  .meta({ id: 'HTTPValidationError' });

/** On inference paths, where it has the fields of the other errors too. */
const InferenceValidationError = z
  .object({
    detail: z.array(ValidationError),
    object: z.literal('error'),
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  })
  .meta({ id: 'InferenceValidationError' });

export function openApiOf(routes: AnyRoute[]): Record<string, unknown> {
  return buildOpenApi(routes, {
    title: 'Tramontane',
    version: '1.0.0',
    description:
      'An open, self-hosted AI platform. Send a key as `Authorization: Bearer <key>`; the administrative API takes its own keys in `x-api-key`.',
    securitySchemes: {
      ApiKey: { type: 'http', scheme: 'bearer' },
      AdminApiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
    },
    security: { live: ['ApiKey'], standard: ['ApiKey'], admin: ['AdminApiKey'], console: [] },
    validationSchemas: { plain: HTTPValidationError, explained: InferenceValidationError },
    errorStyles,
  });
}

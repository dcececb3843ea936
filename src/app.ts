import { z } from 'zod';
import { type AdminService, adminRoutes } from './admin/index.ts';
import { type AgentService, agentRoutes } from './agents/index.ts';
import { type BatchService, batchRoutes } from './batch/index.ts';
import { type ChatService, chatRoutes } from './chat/index.ts';
import { type ConsoleService, consoleRoutes } from './console/index.ts';
import { type ConversationService, conversationRoutes } from './conversations/index.ts';
import { type EmbeddingService, embeddingErrors, embeddingRoutes } from './embeddings/index.ts';
import { engineErrors } from './engines/index.ts';
import { type FileService, fileErrors, fileRoutes } from './files/index.ts';
import { type GuardrailService, guardrailRoutes } from './guardrails/index.ts';
import type { AnyRoute, ErrorStyles, ErrorTable } from './kit/http/index.ts';
import { buildOpenApi } from './kit/http/index.ts';
import { type McpTransport, mcpRoutes, type PublicationService, publicationRoutes } from './mcp/index.ts';
import { type ModelService, modelRoutes } from './models/index.ts';
import { type OcrService, ocrErrors, ocrRoutes } from './ocr/index.ts';
import { type PromptService, promptRoutes } from './prompts/index.ts';
import { type SkillService, skillRoutes } from './skills/index.ts';
import { type SpeechService, speechErrors, speechRoutes, type VoiceService, voiceRoutes } from './speech/index.ts';
import { type TenantService, tenantRoutes } from './tenants/index.ts';
import { type WorkflowService, workflowRoutes } from './workflows/index.ts';

export type Services = {
  tenants: TenantService;
  models: ModelService;
  chat: ChatService;
  embeddings: EmbeddingService;
  agents: AgentService;
  conversations: ConversationService;
  prompts: PromptService;
  skills: SkillService;
  guardrails: GuardrailService;
  files: FileService;
  ocr: OcrService;
  batch: BatchService;
  speech: SpeechService;
  voices: VoiceService;
  mcp: McpTransport;
  publication: PublicationService;
  admin: AdminService;
  workflows: WorkflowService;
  webConsole: ConsoleService;
};

/** The only list of rooms. */
export function roomRoutes(services: Services): AnyRoute[] {
  return [
    ...tenantRoutes(services.tenants),
    ...modelRoutes(services.models),
    ...chatRoutes(services.chat),
    ...embeddingRoutes(services.embeddings),
    ...promptRoutes(services.prompts),
    ...skillRoutes(services.skills),
    ...guardrailRoutes(services.guardrails),
    ...agentRoutes(services.agents),
    ...conversationRoutes(services.conversations),
    ...fileRoutes(services.files),
    ...ocrRoutes(services.ocr),
    ...batchRoutes(services.batch),
    ...speechRoutes(services.speech),
    ...voiceRoutes(services.voices),
    ...mcpRoutes(services.mcp),
    ...publicationRoutes(services.publication),
    ...adminRoutes(services.admin),
    ...workflowRoutes(services.workflows),
    ...consoleRoutes(services.webConsole),
  ];
}

/** The table without anything behind it, for the document: a handler touches its service only when it is called. */
export function documentedRoutes(): AnyRoute[] {
  return roomRoutes({} as Services);
}

/** Every error of the API, room by room; docs/errors.md shows them. */
export const errorTables: Record<string, ErrorTable> = {
  embeddings: embeddingErrors,
  engines: engineErrors,
  files: fileErrors,
  ocr: ocrErrors,
  speech: speechErrors,
};

/** Families whose errors are worded differently from the rest. */
export const errorStyles: ErrorStyles = [
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
    security: { standard: ['ApiKey'], admin: ['AdminApiKey'], console: [] },
    errorSchema: HTTPValidationError,
    errorStyles,
  });
}

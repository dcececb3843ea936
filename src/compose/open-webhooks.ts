import type { AgentService } from '../agents/index.ts';
import type { AuditService } from '../audit/index.ts';
import type { Config } from '../config/config.ts';
import { ConversationRequest, type ConversationService, markData } from '../conversations/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { Database } from '../kit/db/index.ts';
import type { SecretBox } from '../kit/secrets/index.ts';
import type { Tasks } from '../kit/tasks/index.ts';
import type { Authority } from '../tenants/index.ts';
import { createWebhookService, type TriggerTarget, type WebhookService } from '../webhooks/index.ts';
import { WorkflowExecutionRequest, type WorkflowService } from '../workflows/index.ts';

const PAYLOAD_CHARACTERS_MAX = 200_000;

/** Webhooks of providers, and what their triggers start. */
export function openWebhooks(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  ports: {
    database: Database;
    audit: AuditService;
    tasks: Tasks;
    authority: Authority;
    box: SecretBox;
    workflows: Pick<WorkflowService, 'catalogue' | 'execute'>;
    conversations: Pick<ConversationService, 'begin'>;
    agents: Pick<AgentService, 'get'>;
    log: Logger;
  },
): WebhookService {
  const { workflows, conversations, agents, ...common } = ports;
  return createWebhookService({
    ...common,
    publicUrl,
    now: systemClock,
    targets: { start_workflow: workflowTarget(workflows), start_agent_session: agentTarget(conversations, agents) },
  });
}

const setHeader = () => undefined;

function workflowTarget({ catalogue, execute }: Pick<WorkflowService, 'catalogue' | 'execute'>): TriggerTarget {
  return {
    permission: 'workflows:execute',
    check: (scope, id) => catalogue.get(scope, id),
    async start(call, id, event) {
      const request = WorkflowExecutionRequest.parse({ input: event });
      const started = await execute({ ...call, setHeader, headers: {} }, { identifier: id }, request);
      return `/v1/workflows/executions/${started.execution_id}`;
    },
  };
}

/** The agent gets the delivery as data: whoever can write an issue or a message must not instruct it. */
function agentTarget(
  conversations: Pick<ConversationService, 'begin'>,
  agents: Pick<AgentService, 'get'>,
): TriggerTarget {
  return {
    permission: 'conversations:write',
    check: (scope, id) => agents.get(scope, id),
    async start(call, id, { payload, ...event }) {
      const text = JSON.stringify(payload).slice(0, PAYLOAD_CHARACTERS_MAX);
      const request = ConversationRequest.parse({
        agent_id: id,
        inputs: `An event of ${event.provider} has arrived: ${event.event_type ?? 'no type'}, received at ${event.received_at}.\n\n${markData(text, event.provider)}`,
      });
      const started = await conversations.begin({ ...call, setHeader, lastEventId: undefined }, request);
      return `/v1/conversations/${started}`;
    },
  };
}

import { z } from 'zod';
import { QUERY_CHARACTERS_MAX } from '../../kit/jmespath/index.ts';
import { storableText, TriggersOwnerType, Webhook } from './webhooks.ts';

const TITLE_CHARACTERS_MAX = 255;
const ID_CHARACTERS_MAX = 255;

export const TriggerHandler = z.enum(['workflows', 'agents', 'spaces']).meta({ id: 'TriggerHandler' });
export type TriggerHandler = z.infer<typeof TriggerHandler>;

export const TriggerActionType = z
  .enum(['start_workflow', 'build_app', 'deploy_app', 'start_agent_session'])
  .meta({ id: 'TriggerActionType' });
export type TriggerActionType = z.infer<typeof TriggerActionType>;

export const TriggerStatusValue = z
  .enum(['SUBMITTED', 'SUBMISSION_FAILED', 'TRIGGERED', 'TRIGGER_FAILED'])
  .meta({ id: 'TriggerStatusValue' });
export type TriggerStatusValue = z.infer<typeof TriggerStatusValue>;

const CreateTriggerAction = z
  .strictObject({ primitive_id: storableText.min(1).max(ID_CHARACTERS_MAX), type: TriggerActionType })
  .meta({ id: 'CreateTriggerAction' });

export const CreateTrigger = z
  .strictObject({
    event_source_id: z.uuid(),
    handler: TriggerHandler,
    action: CreateTriggerAction,
    owner_type: TriggersOwnerType,
    title: storableText.min(1).max(TITLE_CHARACTERS_MAX),
    filters: storableText.min(1).max(QUERY_CHARACTERS_MAX).nullable().optional(),
  })
  .meta({ id: 'CreateTrigger' });
export type CreateTrigger = z.infer<typeof CreateTrigger>;

const TriggerAction = z.object({ primitive_id: z.string(), type: TriggerActionType }).meta({ id: 'TriggerAction' });

export const Trigger = z
  .object({
    id: z.uuid(),
    creator_id: z.string(),
    workspace_id: z.string(),
    organization_id: z.string(),
    customer_id: z.string(),
    owner_type: TriggersOwnerType,
    event_source: Webhook,
    handler: TriggerHandler,
    action: TriggerAction,
    filters: z.string().nullable(),
    title: z.string(),
  })
  .meta({ id: 'Trigger' });
export type Trigger = z.infer<typeof Trigger>;

export const TriggerList = z.array(Trigger);

export const TriggerParams = z.strictObject({ trigger_id: z.uuid() });

export const TriggersQuery = z.strictObject({
  handler: TriggerHandler.optional(),
  primitive_id: storableText.max(ID_CHARACTERS_MAX).optional(),
  event_source_id: storableText.max(ID_CHARACTERS_MAX).optional(),
});
export type TriggersQuery = z.infer<typeof TriggersQuery>;

const TriggerEvent = z
  .object({
    event_id: z.string(),
    trigger_id: z.string(),
    source_id: z.string(),
    status: TriggerStatusValue,
    received_at: z.iso.datetime(),
    submitted_at: z.iso.datetime().nullable(),
    triggered_at: z.iso.datetime().nullable(),
    detail: z.string().nullable(),
    url: z.string().nullable(),
  })
  .meta({ id: 'TriggerEvent' });
export type TriggerEvent = z.infer<typeof TriggerEvent>;

export const TriggerEventList = z.object({ data: z.array(TriggerEvent) }).meta({ id: 'TriggerEventList' });
export type TriggerEventList = z.infer<typeof TriggerEventList>;

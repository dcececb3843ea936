import type { AuditService } from '../../audit/index.ts';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import type { Database } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { actorOf } from '../../tenants/index.ts';
import type { ContentSwitch } from '../content/content-switch.ts';
import { traceErrors } from '../errors.ts';
import type { ContentSettings, ContentSettingsRequest, ContentsQuery } from '../schema/contents.ts';
import type { SpanContent } from '../schema/span.ts';
import {
  deleteContentsBefore,
  deleteContentsOfConversation,
  deleteContentsOfUser,
  findContentSettings,
  findContents,
  findNextContents,
  upsertContentSettings,
} from '../store/contents.ts';
import { deleteFeedbackOfUser } from '../store/feedback.ts';
import { DAY_US } from '../time-range.ts';

const DELETED_ROWS = 500;

/** What the operator allows. */
export type ContentRules = {
  isAllowed: boolean;
  retentionDays: number;
  charactersMax: number;
  redactionRules: number;
};

/** Whose contents are deleted: of a conversation, of a user, or all of the workspace. */
export type Forgotten = { workspaceId: string; conversationId?: string; userId?: string };

export type ContentService = {
  get(scope: Scope): Promise<ContentSettings>;
  set(scope: Scope, body: ContentSettingsRequest): Promise<ContentSettings>;
  /** Deletes what the workspace has kept, or what it has kept of a user. */
  clear(scope: Scope, query: ContentsQuery): Promise<undefined>;
  find(workspaceId: string, spanIds: readonly string[]): Promise<Map<string, SpanContent>>;
  forgetConversation(workspaceId: string, conversationId: string): Promise<void>;
  /** What a user has said in a workspace, and what they thought of answers. */
  forgetUser(workspaceId: string, userId: string): Promise<void>;
  /** Called when contents are deleted on request, so that what was derived from them goes as well. */
  onForgotten(listener: (forgotten: Forgotten) => Promise<void>): void;
  /** Deletes what is older than each workspace keeps it, and everything where the operator forbids it. */
  prune(): Promise<void>;
};

export function createContentService(ports: {
  database: Database;
  audit: AuditService;
  now: Clock;
  rules: ContentRules;
  switches: Pick<ContentSwitch, 'raise'>;
  flush(): Promise<void>;
}): ContentService {
  const { database, audit, now, rules, switches, flush } = ports;
  const { db } = database;

  async function show({ workspace_id }: Pick<Scope, 'workspace_id'>): Promise<ContentSettings> {
    const row = await findContentSettings(db, workspace_id);
    return {
      object: 'content_settings',
      enabled: rules.isAllowed && (row?.enabled ?? false),
      sample_rate: row?.sample_rate ?? 1,
      retention_days: Math.min(row?.retention_days ?? rules.retentionDays, rules.retentionDays),
      allowed: rules.isAllowed,
      redaction_rules: rules.redactionRules,
      max_characters: rules.charactersMax,
      updated_at: row?.updated_at ?? null,
      updated_by: row?.updated_by ?? null,
    };
  }

  async function deleteBefore(workspaceId: string, beforeUs: number): Promise<void> {
    while (await database.transaction((tx) => deleteContentsBefore(tx, workspaceId, beforeUs, DELETED_ROWS)));
  }

  const listeners: ((forgotten: Forgotten) => Promise<void>)[] = [];

  async function tell(forgotten: Forgotten): Promise<void> {
    for (const listener of listeners) await listener(forgotten);
  }

  async function deleteOfUser(workspaceId: string, userId: string): Promise<void> {
    const deleteFrom = (fromUs: number): Promise<number | undefined> =>
      database.transaction((tx) => deleteContentsOfUser(tx, workspaceId, userId, fromUs, DELETED_ROWS));
    let next = await deleteFrom(0);
    while (next !== undefined) next = await deleteFrom(next);
    await tell({ workspaceId, userId });
  }

  async function deleteAll(workspaceId: string): Promise<void> {
    await deleteBefore(workspaceId, Number.MAX_SAFE_INTEGER);
    await tell({ workspaceId });
  }

  return {
    get: show,
    async set(scope, { enabled, sample_rate, retention_days }) {
      if (enabled && !rules.isAllowed) throw traceErrors.contents_forbidden();
      const days = Math.min(retention_days ?? rules.retentionDays, rules.retentionDays);
      const { organization_id, workspace_id, user_id } = scope;
      await database.transaction(async (tx) => {
        await upsertContentSettings(tx, {
          ...{ workspace_id, enabled, sample_rate, retention_days: days },
          updated_at: isoMicros(now),
          updated_by: user_id,
        });
        switches.raise(tx);
        await audit.record(tx, {
          ...{ organization_id, workspace_id, actor: actorOf(scope), event_type: 'workspace.update' },
          event_metadata: {
            contents: enabled ? 'kept' : 'not kept',
            sample_rate: String(sample_rate),
            retention_days: String(days),
          },
          target_type: 'WORKSPACE',
          target_metadata: { workspace_uuid: workspace_id },
        });
      });
      return show(scope);
    },
    async clear(scope, { user_id }) {
      const { organization_id, workspace_id } = scope;
      await flush();
      await (user_id ? deleteOfUser(workspace_id, user_id) : deleteAll(workspace_id));
      await database.transaction((tx) =>
        audit.record(tx, {
          ...{ organization_id, workspace_id, actor: actorOf(scope), event_type: 'workspace.update' },
          event_metadata: { contents: 'deleted', ...(user_id && { of_user_uuid: user_id }) },
          target_type: 'WORKSPACE',
          target_metadata: { workspace_uuid: workspace_id },
        }),
      );
      return undefined;
    },
    find: async (workspaceId, spanIds) => (rules.isAllowed ? findContents(db, workspaceId, spanIds) : new Map()),
    async forgetConversation(workspaceId, conversationId) {
      await flush();
      await database.transaction((tx) => deleteContentsOfConversation(tx, workspaceId, conversationId));
      await tell({ workspaceId, conversationId });
    },
    async forgetUser(workspaceId, userId) {
      await flush();
      await deleteOfUser(workspaceId, userId);
      while (await database.transaction((tx) => deleteFeedbackOfUser(tx, workspaceId, userId, DELETED_ROWS)));
    },
    onForgotten: (listener) => void listeners.push(listener),
    async prune() {
      const nowUs = now() * 1000;
      for (let id = await findNextContents(db, ''); id !== undefined; id = await findNextContents(db, id)) {
        const { retention_days } = await show({ workspace_id: id });
        await deleteBefore(id, rules.isAllowed ? nowUs - retention_days * DAY_US : Number.MAX_SAFE_INTEGER);
      }
    },
  };
}

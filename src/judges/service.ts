import type { AuditLogEventType, AuditService } from '../audit/index.ts';
import type { ChatService } from '../chat/index.ts';
import type { ClassifierService } from '../classifiers/index.ts';
import { type Clock, isoMicros } from '../kit/base/clock.ts';
import { uuidv7 } from '../kit/base/ids.ts';
import { type Database, findCandidates, isUniqueViolation, type Tx } from '../kit/db/index.ts';
import { numberedPage, offsetOf, type Scope } from '../kit/http/index.ts';
import type { Call } from '../metering/index.ts';
import { actorOf } from '../tenants/index.ts';
import { judgeErrors } from './errors.ts';
import { judgeByLabels } from './judge-by-labels.ts';
import { type JudgeDefinition, type Judgement, judgeConversation } from './judge-conversation.ts';
import type {
  CreateJudgeRequest,
  Judge,
  JudgeConversationRequest,
  JudgeOutput,
  JudgesQuery,
  ListJudgesResponse,
} from './schema.ts';
import {
  countJudges,
  deleteJudge,
  findJudge,
  insertJudge,
  type JudgeRow,
  listJudges,
  searchedJudges,
  updateJudge,
} from './store.ts';

export type JudgeService = {
  list(scope: Scope, query: JudgesQuery): Promise<ListJudgesResponse>;
  create(scope: Scope, request: CreateJudgeRequest): Promise<Judge>;
  get(scope: Scope, id: string): Promise<Judge>;
  update(scope: Scope, id: string, request: CreateJudgeRequest): Promise<undefined>;
  remove(scope: Scope, id: string): Promise<undefined>;
  /** Throws what no schema can state: options that occur twice, an empty range. */
  check(definition: JudgeDefinition, at?: string[]): void;
  /** Judges one conversation as the caller, who pays for it. */
  judge(call: Call, definition: JudgeDefinition, conversation: JudgeConversationRequest): Promise<Judgement>;
  /** The same by a stored judge, as the API answers it. */
  judgeBy(call: Call, id: string, conversation: JudgeConversationRequest): Promise<JudgeOutput>;
};

export function createJudgeService(deps: {
  database: Database;
  audit: AuditService;
  chat: Pick<ChatService, 'complete'>;
  classifiers: Pick<ClassifierService, 'isClassifier' | 'scoreChat'>;
  now: Clock;
}): JudgeService {
  const { database, audit, chat, classifiers, now } = deps;
  const { db } = database;

  async function find(scope: Scope, id: string): Promise<JudgeRow> {
    const row = await findJudge(db, scope.workspace_id, id);
    if (!row) throw judgeErrors.judge_not_found(id);
    return row;
  }

  /** The audit log gets ids and not names, which may be secrets. */
  function record(tx: Tx, scope: Scope, event_type: Extract<AuditLogEventType, `judge.${string}`>, id: string) {
    const { organization_id, workspace_id } = scope;
    const target = { target_type: 'JUDGE', target_metadata: { id } } as const;
    return audit.record(tx, {
      ...{ organization_id, workspace_id, actor: actorOf(scope), event_type, event_metadata: {} },
      ...target,
    });
  }

  async function write<T>(name: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await database.transaction(work);
    } catch (error) {
      if (isUniqueViolation(error)) throw judgeErrors.judge_name_taken(name);
      throw error;
    }
  }

  const judge: JudgeService['judge'] = (call, definition, conversation) =>
    classifiers.isClassifier(call, definition.model_name)
      ? judgeByLabels(classifiers, call, definition, conversation)
      : judgeConversation(chat, call, definition, conversation);

  return {
    async list({ workspace_id }, query) {
      const { type_filter, model_filter, q } = query;
      const search = q?.toLowerCase() || undefined;
      const filter = {
        types: type_filter ?? undefined,
        models: model_filter ?? undefined,
        search,
        among: await findCandidates(database, searchedJudges(workspace_id), search),
      };
      const page = offsetOf(query);
      const rows = await listJudges(db, workspace_id, filter, page);
      const count = await countJudges(db, workspace_id, filter, page.offset + page.limit);
      return { judges: numberedPage('/v1/observability/judges', query, rows.map(toJudge), count) };
    },
    async create(scope, request) {
      checkOutput(request);
      const created_at = isoMicros(now);
      const { workspace_id, user_id: owner_id } = scope;
      const row = { id: uuidv7(now()), workspace_id, owner_id, ...toRow(request), created_at, updated_at: created_at };
      await write(row.name, async (tx) => {
        await insertJudge(tx, row);
        await record(tx, scope, 'judge.create', row.id);
      });
      return toJudge(row);
    },
    get: async (scope, id) => toJudge(await find(scope, id)),
    async update(scope, id, request) {
      checkOutput(request);
      const isFound = await write(request.name, async (tx) => {
        const change = { ...toRow(request), updated_at: isoMicros(now) };
        if (!(await updateJudge(tx, scope.workspace_id, id, change))) return false;
        await record(tx, scope, 'judge.update', id);
        return true;
      });
      if (!isFound) throw judgeErrors.judge_not_found(id);
    },
    async remove(scope, id) {
      const isFound = await database.transaction(async (tx) => {
        if (!(await deleteJudge(tx, scope.workspace_id, id))) return false;
        await record(tx, scope, 'judge.delete', id);
        return true;
      });
      if (!isFound) throw judgeErrors.judge_not_found(id);
    },
    check: checkOutput,
    judge,
    async judgeBy(call, id, conversation) {
      const { analysis, answer } = await judge(call, await find(call.scope, id), conversation);
      return { analysis, answer };
    },
  };
}

function checkOutput({ output }: JudgeDefinition, at: string[] = ['body']): void {
  if (output.type === 'REGRESSION') {
    if (output.min < output.max) return;
    throw judgeErrors.judge_output_invalid([...at, 'output', 'max'], '`max` must be more than `min`', output.max);
  }
  const values = output.options.map(({ value }) => value);
  const twice = values.findIndex((value, at) => values.indexOf(value) !== at);
  if (twice < 0) return;
  const loc = [...at, 'output', 'options', twice, 'value'];
  throw judgeErrors.judge_output_invalid(loc, 'another option has this value already', values[twice]);
}

function toRow({ name, description, model_name, output, instructions, tools }: CreateJudgeRequest) {
  const folded = `${name}\n${description}`.toLowerCase();
  return { name, folded, description, model_name, output_type: output.type, output, instructions, tools };
}

function toJudge({ folded: _, output_type: __, ...row }: JudgeRow): Judge {
  return { ...row, deleted_at: null, up_revision: null, down_revision: null, base_revision: null };
}

import type { AuditService } from '../audit/index.ts';
import type { Clock } from '../kit/base/clock.ts';
import type { Database } from '../kit/db/index.ts';
import { type PageTokens, type RenderedReply, rendered, type Scope } from '../kit/http/index.ts';
import {
  answerHistory,
  createVersions,
  orderOf,
  pickFields,
  type Rendered,
  showAliasMoves,
  showsField,
  toSharing,
} from '../kit/versions/index.ts';
import { createCatalogue, type SkillCatalogue } from './catalogue.ts';
import { findingDetails, findingHeaders, refuseFindings } from './intake/describe-findings.ts';
import type { Finding } from './intake/finding.ts';
import { scanDefinition } from './intake/scan-definition.ts';
import { createIntakeSwitch, type IntakeSwitch } from './intake-policy.ts';
import { identityOf, packDefinition, type StoredDefinition } from './pack-definition.ts';
import { recordIn } from './record-change.ts';
import type {
  CreateSkillRequest,
  CreateSkillVersionRequest,
  CreateSkillVersionResponse,
  ListSkillAliasMovesResponse,
  ListSkillsQuery,
  ListSkillsResponse,
  Skill,
  SkillDefinition,
  SkillQuery,
  UpdateSkillRequest,
  UpdateSkillVersionRequest,
} from './schema.ts';
import { type ShownSkill, showSkill, showVersion, withAssets } from './show-skill.ts';
import { insertFiles, listFiles } from './store.ts';

/** An answer with headers of its own, and what the intake scan found. */
export type Taken<T> = { value: T; headers: Record<string, string>; findings: Finding[] };

export type SkillService = {
  list(scope: Scope, query: ListSkillsQuery): Promise<ListSkillsResponse>;
  create(scope: Scope, request: CreateSkillRequest): Promise<Taken<Skill>>;
  get(scope: Scope, idOrName: string, query: SkillQuery): Promise<RenderedReply>;
  update(scope: Scope, idOrName: string, request: UpdateSkillRequest, ifMatch?: string): Promise<RenderedReply>;
  remove(scope: Scope, idOrName: string, ifMatch?: string): Promise<Record<string, never>>;
  listVersions(scope: Scope, idOrName: string): Promise<RenderedReply>;
  createVersion(
    scope: Scope,
    idOrName: string,
    request: CreateSkillVersionRequest,
    ifMatch?: string,
  ): Promise<Taken<CreateSkillVersionResponse>>;
  updateVersion(
    scope: Scope,
    idOrName: string,
    version: number,
    request: UpdateSkillVersionRequest,
    ifMatch?: string,
  ): Promise<RenderedReply>;
  listAliasMoves(scope: Scope, idOrName: string): Promise<ListSkillAliasMovesResponse>;
  intake: IntakeSwitch;
  /** For other rooms: the same skills, not worded for the wire. */
  catalogue: SkillCatalogue;
};

export function createSkillService(ports: {
  database: Database;
  audit: AuditService;
  tokens: PageTokens;
  now: Clock;
}): SkillService {
  const { database, audit, tokens, now } = ports;
  const intake = createIntakeSwitch(ports);
  const skills = createVersions<Scope, StoredDefinition, ShownSkill>({
    database,
    now,
    tokens,
    kind: 'skill',
    noun: 'skill',
    render: showSkill,
    identity: identityOf,
    record: recordIn(audit),
  });

  /** What a new version is made of, once it has been looked through. */
  async function takeIn(scope: Scope, definition: SkillDefinition) {
    const packed = packDefinition(definition);
    const findings = await scanDefinition(packed);
    if (findings.length > 0 && (await intake.get(scope)).policy === 'refuse') throw refuseFindings(findings);
    return {
      findings,
      headers: findingHeaders(findings),
      input: {
        definition: packed.stored,
        details: findingDetails(findings),
        alongside: (tx: Parameters<typeof insertFiles>[0], id: string) => insertFiles(tx, id, packed.contents),
      },
    };
  }

  async function addAssets(shown: ShownSkill): Promise<Skill> {
    const digests = [...new Set(Object.values(shown.files).map(({ sha256 }) => sha256))];
    return withAssets(shown, await listFiles(database.db, shown.skill.id, digests));
  }

  /** Files are read only for a client that does not have this state yet, and asks for them. */
  function answerSkill({ value, etag }: Rendered<ShownSkill>, fields?: readonly string[]): RenderedReply {
    const isWhole = fields === undefined || fields.includes('definition') || fields.includes('definition.assets');
    if (!isWhole) return rendered(JSON.stringify(pickFields(value.skill, fields)), etag);
    return rendered(async () => JSON.stringify(pickFields(await addAssets(value), fields)), etag);
  }

  return {
    intake,
    catalogue: createCatalogue({ database, skills }),
    async list(scope, query) {
      const { fields } = query;
      const withDefinition = showsField(fields, 'definition');
      const { items, nextPageToken } = await skills.list(scope, { ...query, ...orderOf(query), withDefinition });
      const data = items.map(({ skill }) => pickFields(skill, fields));
      return { data, ...(nextPageToken === undefined ? {} : { nextPageToken }) };
    },
    async create(scope, { name, definition, notes, sharingScope, aliases }) {
      const { input, headers, findings } = await takeIn(scope, definition);
      const sharing = toSharing(sharingScope);
      const made = await skills.create(scope, { ...input, name, notes: notes ?? undefined, sharing, aliases });
      return { value: await addAssets(made.value), headers: { etag: made.etag, ...headers }, findings };
    },
    async get(scope, idOrName, { fields, ...selector }) {
      return answerSkill(await skills.read(scope, idOrName, selector), fields);
    },
    async update(scope, idOrName, { sharingScope }, ifMatch) {
      return answerSkill(await skills.update(scope, idOrName, { sharing: toSharing(sharingScope) }, { ifMatch }));
    },
    async remove(scope, idOrName, ifMatch) {
      await skills.remove(scope, idOrName, { ifMatch });
      return {};
    },
    async listVersions(scope, idOrName) {
      return answerHistory(await skills.history(scope, idOrName), showVersion);
    },
    async createVersion(scope, idOrName, { definition, notes, aliases }, ifMatch) {
      const { input, headers, findings } = await takeIn(scope, definition);
      const given = { ...input, notes: notes ?? undefined, aliases };
      const { version, deduplicated, etag } = await skills.createVersion(scope, idOrName, given, { ifMatch });
      return { value: { version, deduplicated }, headers: { etag, ...headers }, findings };
    },
    async updateVersion(scope, idOrName, version, { notes, aliases }, ifMatch) {
      const given = { notes: notes === null ? '' : notes, aliases: aliases && (aliases.values ?? []) };
      return answerSkill(await skills.updateVersion(scope, idOrName, version, given, { ifMatch }));
    },
    listAliasMoves: async (scope, idOrName) => showAliasMoves(await skills.aliasMoves(scope, idOrName)),
  };
}

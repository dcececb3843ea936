import type { AuditService } from '../../audit/index.ts';
import type { Clock } from '../../kit/base/clock.ts';
import type { Database, Tx } from '../../kit/db/index.ts';
import { type PageTokens, type RenderedReply, rendered, type Scope } from '../../kit/http/index.ts';
import {
  createRegistry,
  parseListQuery,
  pickFields,
  type Rendered,
  replyWithHistory,
  showAliasMoves,
  showPage,
  showVersion,
  toSharing,
  toVersionChanges,
  type UpdateVersionRequest,
  type WithHeaders,
} from '../../registry/index.ts';
import { skillErrors } from '../errors.ts';
import { findingDetails, findingHeaders, refuseFindings } from '../intake/describe-findings.ts';
import type { Finding } from '../intake/finding.ts';
import { scanDefinition } from '../intake/scan-definition.ts';
import { identityOf, packDefinition, type StoredDefinition } from '../pack-definition.ts';
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
} from '../schema/skills.ts';
import { type ShownSkill, showSkill, withAssets } from '../show-skill.ts';
import { insertFiles, listFiles } from '../store.ts';
import { createCatalogue, type SkillCatalogue } from './catalogue.ts';
import { createIntakePolicyService, type IntakePolicyService } from './intake-policy.ts';

type Scanned<T> = WithHeaders<T> & { findings: Finding[] };

export type SkillService = {
  list(scope: Scope, query: ListSkillsQuery): Promise<ListSkillsResponse>;
  create(scope: Scope, request: CreateSkillRequest): Promise<Scanned<Skill>>;
  get(scope: Scope, idOrName: string, query: SkillQuery): Promise<RenderedReply>;
  update(scope: Scope, idOrName: string, request: UpdateSkillRequest, ifMatch?: string): Promise<RenderedReply>;
  remove(scope: Scope, idOrName: string, ifMatch?: string): Promise<Record<string, never>>;
  listVersions(scope: Scope, idOrName: string): Promise<RenderedReply>;
  createVersion(
    scope: Scope,
    idOrName: string,
    request: CreateSkillVersionRequest,
    ifMatch?: string,
  ): Promise<Scanned<CreateSkillVersionResponse>>;
  updateVersion(
    scope: Scope,
    idOrName: string,
    version: number,
    request: UpdateVersionRequest,
    ifMatch?: string,
  ): Promise<RenderedReply>;
  listAliasMoves(scope: Scope, idOrName: string): Promise<ListSkillAliasMovesResponse>;
  intake: IntakePolicyService;
  /** For other rooms: the same skills, not in the shape of the API. */
  catalogue: SkillCatalogue;
};

export function createSkillService(ports: {
  database: Database;
  audit: AuditService;
  tokens: PageTokens;
  now: Clock;
}): SkillService {
  const { database } = ports;
  const intake = createIntakePolicyService(ports);
  const skills = createRegistry<StoredDefinition, ShownSkill>({
    ...ports,
    kind: 'skill',
    errors: {
      not_found: skillErrors.skill_not_found,
      version_not_found: skillErrors.skill_version_not_found,
      changed: skillErrors.skill_changed,
      name_taken: skillErrors.skill_name_taken,
      owner_only: skillErrors.skill_owner_only,
    },
    auditAs: {
      target: 'SKILL',
      events: {
        create: 'skill.create',
        version: 'skill.version.create',
        update: 'skill.update',
        share: 'skill.share',
        unshare: 'skill.unshare',
        delete: 'skill.delete',
      },
    },
    render: showSkill,
    identity: identityOf,
  });

  /** Scans a definition and prepares it for the registry. */
  async function scan(scope: Scope, definition: SkillDefinition) {
    const packed = packDefinition(definition);
    const findings = await scanDefinition(packed);
    if (findings.length > 0 && (await intake.get(scope)).policy === 'refuse') throw refuseFindings(findings);
    return {
      findings,
      headers: findingHeaders(findings),
      input: {
        definition: packed.stored,
        details: findingDetails(findings),
        alongside: (tx: Tx, id: string) => insertFiles(tx, id, packed.contents),
      },
    };
  }

  async function addAssets(shown: ShownSkill): Promise<Skill> {
    const digests = [...new Set(Object.values(shown.files).map(({ sha256 }) => sha256))];
    return withAssets(shown, await listFiles(database.db, shown.skill.id, digests));
  }

  /** Reads files only if the client requests them and does not have this state yet. */
  function replyWithSkill({ value, etag }: Rendered<ShownSkill>, fields?: readonly string[]): RenderedReply {
    const hasAssets = fields === undefined || fields.includes('definition') || fields.includes('definition.assets');
    if (!hasAssets) return rendered(JSON.stringify(pickFields(value.skill, fields)), etag);
    return rendered(async () => JSON.stringify(pickFields(await addAssets(value), fields)), etag);
  }

  return {
    intake,
    catalogue: createCatalogue({ database, skills }),
    async list(scope, query) {
      const { items, nextPageToken } = await skills.list(scope, parseListQuery(query));
      return showPage(
        items.map(({ skill }) => skill),
        nextPageToken,
        query.fields,
      );
    },
    async create(scope, { name, definition, notes, sharingScope, aliases }) {
      const { input, headers, findings } = await scan(scope, definition);
      const sharing = toSharing(sharingScope);
      const made = await skills.create(scope, { ...input, name, notes: notes ?? undefined, sharing, aliases });
      return { value: await addAssets(made.value), headers: { etag: made.etag, ...headers }, findings };
    },
    async get(scope, idOrName, { fields, ...selector }) {
      return replyWithSkill(await skills.read(scope, idOrName, selector), fields);
    },
    async update(scope, idOrName, { sharingScope }, ifMatch) {
      return replyWithSkill(await skills.update(scope, idOrName, { sharing: toSharing(sharingScope) }, { ifMatch }));
    },
    async remove(scope, idOrName, ifMatch) {
      await skills.remove(scope, idOrName, { ifMatch });
      return {};
    },
    async listVersions(scope, idOrName) {
      return replyWithHistory(await skills.history(scope, idOrName), (version) => {
        const { description, body } = version.definition;
        return showVersion(version, { description, body });
      });
    },
    async createVersion(scope, idOrName, { definition, notes, aliases }, ifMatch) {
      const { input, headers, findings } = await scan(scope, definition);
      const given = { ...input, notes: notes ?? undefined, aliases };
      const { version, deduplicated, etag } = await skills.createVersion(scope, idOrName, given, { ifMatch });
      return { value: { version, deduplicated }, headers: { etag, ...headers }, findings };
    },
    async updateVersion(scope, idOrName, version, request, ifMatch) {
      const changes = toVersionChanges(request);
      return replyWithSkill(await skills.updateVersion(scope, idOrName, version, changes, { ifMatch }));
    },
    listAliasMoves: async (scope, idOrName) => showAliasMoves(await skills.aliasMoves(scope, idOrName)),
  };
}

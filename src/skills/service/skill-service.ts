import type { AuditService } from '../../audit/index.ts';
import type { Clock } from '../../kit/base/clock.ts';
import type { Database, Tx } from '../../kit/db/index.ts';
import type { Announce } from '../../kit/events/index.ts';
import { type PageTokens, type RenderedReply, rendered, type Scope } from '../../kit/http/index.ts';
import {
  createObjectService,
  createRegistry,
  type ObjectService,
  pickFields,
  type Rendered,
} from '../../registry/index.ts';
import { skillErrors } from '../errors.ts';
import { findingDetails, findingHeaders, refuseFindings } from '../intake/describe-findings.ts';
import type { Finding } from '../intake/finding.ts';
import { scanDefinition } from '../intake/scan-definition.ts';
import { identityOf, packDefinition, type StoredDefinition } from '../pack-definition.ts';
import type { Skill, SkillDefinition } from '../schema/skills.ts';
import { type ShownSkill, showSkill, withAssets } from '../show-skill.ts';
import { insertFiles, listFiles } from '../store.ts';
import { createCatalogue, type SkillCatalogue } from './catalogue.ts';
import { createFindingReviews, type FindingReviews } from './finding-reviews.ts';
import { createIntakePolicyService, type IntakePolicyService } from './intake-policy.ts';

export type SkillService = ObjectService<SkillDefinition, Skill, { findings: Finding[] }> & {
  intake: IntakePolicyService;
  reviews: Pick<FindingReviews, 'waiting' | 'close'>;
  /** For other rooms: the same skills, not in the shape of the API. */
  catalogue: SkillCatalogue;
};

export function createSkillService(ports: {
  database: Database;
  audit: AuditService;
  tokens: PageTokens;
  announce?: Announce | undefined;
  now: Clock;
}): SkillService {
  const { database } = ports;
  const intake = createIntakePolicyService(ports);
  const reviews = createFindingReviews(ports);
  const skills = createRegistry<StoredDefinition, ShownSkill>({
    ...ports,
    kind: 'skill',
    errors: {
      not_found: skillErrors.skill_not_found,
      version_not_found: skillErrors.skill_version_not_found,
      changed: skillErrors.skill_changed,
      name_taken: skillErrors.skill_name_taken,
      owner_only: skillErrors.skill_owner_only,
      read_only: skillErrors.skill_read_only,
    },
    administeredBy: 'skills:administer',
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
      extra: { findings },
      headers: findingHeaders(findings),
      input: {
        definition: packed.stored,
        details: findingDetails(findings),
        async alongside(tx: Tx, id: string, version: number) {
          await insertFiles(tx, id, packed.contents);
          if (findings.length > 0) await reviews.ask(tx, scope, { skill_id: id, version, findings });
        },
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
    reviews: {
      waiting: reviews.waiting,
      // Read first: who may not see the skill does not learn that it has findings.
      async close(scope, idOrName, version) {
        const { value } = await skills.read(scope, idOrName, { version });
        return reviews.close(scope, value.skill.id, version);
      },
    },
    catalogue: createCatalogue({ database, skills }),
    ...createObjectService({
      registry: skills,
      prepare: scan,
      showListed: ({ skill }) => skill,
      showCreated: addAssets,
      showDefinition: ({ description, body }) => ({ description, body }),
      reply: replyWithSkill,
    }),
  };
}

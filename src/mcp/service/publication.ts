import { createHash } from 'node:crypto';
import { type RawReply, raw, type Scope } from '../../kit/http/index.ts';
import type { CatalogueSkill, SkillCatalogue, SkillSummary } from '../../skills/index.ts';
import { mcpErrors } from '../errors.ts';
import type { AgentSkillsIndex, PublishedSkill } from '../schema/publication.ts';
import { undefinedIfMissing } from '../undefined-if-missing.ts';
import { writeZip } from '../write-zip.ts';

/** A version with this alias is published. */
const ALIAS = 'published';
const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';
const BASE = '/.well-known/agent-skills';
const MANIFEST = 'SKILL.md';
const SKILLS_MAX = 1000;
const DIGESTS_KEPT = 5000;
const CACHE = { 'cache-control': 'public, max-age=60' };

export type PublicationService = {
  index(): Promise<AgentSkillsIndex>;
  manifest(name: string): Promise<RawReply>;
  archive(name: string): Promise<RawReply>;
};

/**
 * Skills that are public without a key: those shared in the workspace that the operator names, at the version with the
 * alias `published`.
 */
export function createPublication(options: {
  catalogue: SkillCatalogue;
  workspaceId: string | undefined;
}): PublicationService {
  const { catalogue, workspaceId } = options;
  /** Digests of archives by content, so that an archive is not written only to compute its digest. */
  const digests = new Map<string, string>();
  // A user without an id sees the skills shared with the workspace and no private ones.
  const anonymous = { workspace_id: workspaceId, user_id: '' } as Scope;

  async function listPublished(): Promise<SkillSummary[]> {
    const found: SkillSummary[] = [];
    for (let pageToken: string | undefined; found.length < SKILLS_MAX; ) {
      const page = await catalogue.browse(anonymous, { pageSize: 100, pageToken, alias: ALIAS });
      found.push(...page.skills);
      pageToken = page.nextPageToken;
      if (pageToken === undefined) break;
    }
    return found.slice(0, SKILLS_MAX);
  }

  async function find(name: string): Promise<CatalogueSkill> {
    const found = workspaceId && (await undefinedIfMissing(catalogue.read(anonymous, name, { alias: ALIAS })));
    // The same response whether it is missing, private or not published, so that it reveals no names.
    if (!found) throw mcpErrors.published_skill_not_found(name);
    return found;
  }

  async function zipOf(skill: CatalogueSkill): Promise<Buffer> {
    const entries = [];
    for (const { path, isExecutable } of skill.files) {
      const { content } = await catalogue.readFile(anonymous, skill.id, path, { version: skill.version });
      entries.push({ path, content, isExecutable });
    }
    return writeZip(entries);
  }

  async function describe({ id, version }: SkillSummary): Promise<PublishedSkill> {
    const skill = await catalogue.read(anonymous, id, { version });
    const { name, description, files } = skill;
    const [manifest] = files;
    if (files.length === 1 && manifest) {
      const url = `${BASE}/${name}/${MANIFEST}`;
      return { name, type: 'skill-md', description, url, digest: `sha256:${manifest.sha256}` };
    }
    const key = `${name} ${skill.digest}`;
    const digest =
      digests.get(key) ??
      `sha256:${createHash('sha256')
        .update(await zipOf(skill))
        .digest('hex')}`;
    if (digests.size >= DIGESTS_KEPT) digests.delete(digests.keys().next().value ?? '');
    digests.set(key, digest);
    return { name, type: 'archive', description, url: `${BASE}/${name}/skill.zip`, digest };
  }

  return {
    async index() {
      if (workspaceId === undefined) throw mcpErrors.skill_index_not_found('agent-skills');
      const skills: PublishedSkill[] = [];
      for (const summary of await listPublished()) skills.push(await describe(summary));
      return { $schema: SCHEMA, skills };
    },
    async manifest(name) {
      const skill = await find(name);
      const { content } = await catalogue.readFile(anonymous, skill.id, MANIFEST, { version: skill.version });
      return raw(content, 'text/markdown; charset=utf-8', CACHE);
    },
    archive: async (name) => raw(await zipOf(await find(name)), 'application/zip', CACHE),
  };
}

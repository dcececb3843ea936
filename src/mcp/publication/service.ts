import { createHash } from 'node:crypto';
import { notFound, type RawReply, raw, type Scope } from '../../kit/http/index.ts';
import type { CatalogueSkill, SkillCatalogue, SkillSummary } from '../../skills/index.ts';
import { unlessMissing } from '../unless-missing.ts';
import { writeZip } from './write-zip.ts';

/** Whoever gives a version this alias publishes it. */
const ALIAS = 'published';
const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';
const BASE = '/.well-known/agent-skills';
const MANIFEST = 'SKILL.md';
const SKILLS_MAX = 1000;
const DIGESTS_KEPT = 5000;
const CACHE = { 'cache-control': 'public, max-age=60' };

export type PublishedSkill = {
  name: string;
  type: 'skill-md' | 'archive';
  description: string;
  url: string;
  digest: string;
};

export type PublicationService = {
  index(): Promise<{ $schema: string; skills: PublishedSkill[] }>;
  manifest(name: string): Promise<RawReply>;
  archive(name: string): Promise<RawReply>;
};

/**
 * Skills for everybody, without a key: those of one workspace, which the operator names, that are shared in it and
 * have the alias `published`, at the version with that alias. Where no workspace is named there is nothing to see.
 */
export function createPublication(options: {
  catalogue: SkillCatalogue;
  workspaceId: string | undefined;
}): PublicationService {
  const { catalogue, workspaceId } = options;
  /** Of archives, by what is in them: they are made anew for each download, but not to tell their digest. */
  const digests = new Map<string, string>();
  // Nobody in particular: sees what is shared with the workspace, and nobody's private skills.
  const everybody = { workspace_id: workspaceId, user_id: '' } as Scope;

  async function listPublished(): Promise<SkillSummary[]> {
    const found: SkillSummary[] = [];
    for (let pageToken: string | undefined; found.length < SKILLS_MAX; ) {
      const page = await catalogue.browse(everybody, { pageSize: 100, pageToken, alias: ALIAS });
      found.push(...page.skills);
      pageToken = page.nextPageToken;
      if (pageToken === undefined) break;
    }
    return found.slice(0, SKILLS_MAX);
  }

  async function find(name: string): Promise<CatalogueSkill> {
    const found = workspaceId && (await unlessMissing(catalogue.read(everybody, name, { alias: ALIAS })));
    // In the same words whether it is not there, private, or not published: strangers learn no names.
    if (!found) throw notFound('published skill', name);
    return found;
  }

  async function zipOf(skill: CatalogueSkill): Promise<Buffer> {
    const entries = [];
    for (const { path, isExecutable } of skill.files) {
      const { content } = await catalogue.readFile(everybody, skill.id, path, { version: skill.version });
      entries.push({ path, content, isExecutable });
    }
    return writeZip(entries);
  }

  async function describe({ id, version }: SkillSummary): Promise<PublishedSkill> {
    const skill = await catalogue.read(everybody, id, { version });
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
      if (workspaceId === undefined) throw notFound('index of published skills', 'agent-skills');
      const skills: PublishedSkill[] = [];
      for (const summary of await listPublished()) skills.push(await describe(summary));
      return { $schema: SCHEMA, skills };
    },
    async manifest(name) {
      const skill = await find(name);
      const { content } = await catalogue.readFile(everybody, skill.id, MANIFEST, { version: skill.version });
      return raw(content, 'text/markdown; charset=utf-8', CACHE);
    },
    archive: async (name) => raw(await zipOf(await find(name)), 'application/zip', CACHE),
  };
}

import { digestOf } from '../../kit/base/canonical-json.ts';
import { writeFrontMatter } from '../../kit/base/front-matter.ts';
import type { Database } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import type { Registry, Selector, Sharing, Snapshot, VersionSnapshot } from '../../registry/index.ts';
import { skillErrors } from '../errors.ts';
import type { Finding } from '../intake/finding.ts';
import { scanDefinition } from '../intake/scan-definition.ts';
import type { StoredDefinition } from '../pack-definition.ts';
import type { ShownSkill } from '../show-skill.ts';
import { listFiles } from '../store.ts';

/** The file that description and body become in a skill's folder. */
const SKILL_FILE = 'SKILL.md';
/** One page of a search looks at no more skills than this. */
const SEARCHED_MAX = 500;
const PAGE_SIZE = 100;

export type SkillFile = { path: string; sha256: string; bytes: number; isExecutable: boolean; isText: boolean };

export type SkillSummary = {
  id: string;
  name: string;
  description: string;
  version: number;
  latestVersion: number;
  aliases: string[];
  sharing: Sharing;
  updatedAt: string;
};

export type CatalogueSkill = SkillSummary & {
  body: string;
  notes: string;
  /** Equal for equal text and files, so a log can name the skill that an agent used. */
  digest: string;
  /** SKILL.md first, then the others by path. */
  files: SkillFile[];
};

export type SkillPage = { skills: SkillSummary[]; nextPageToken: string | undefined };

/** The skills that a caller may see, for rooms that use them. */
export type SkillCatalogue = {
  /** Sorted by name. `text` filters by name and description; such a page may be short, or empty. */
  browse(
    scope: Scope,
    query: { pageSize: number; pageToken?: string | undefined; alias?: string | undefined; text?: string | undefined },
  ): Promise<SkillPage>;
  read(scope: Scope, idOrName: string, selector?: Selector): Promise<CatalogueSkill>;
  /** One file of the skill, SKILL.md included. */
  readFile(
    scope: Scope,
    idOrName: string,
    path: string,
    selector?: Selector,
  ): Promise<{ file: SkillFile; content: Buffer }>;
  /** Moves one alias to a version and keeps all others, in one transaction. */
  pointAlias(scope: Scope, idOrName: string, alias: string, version: number): Promise<CatalogueSkill>;
  /** What the intake scan finds today, also in a version that was stored without findings. */
  findings(scope: Scope, idOrName: string, selector?: Selector): Promise<Finding[]>;
  /** Newest first, in pages. */
  versions(scope: Scope, idOrName: string): Promise<AsyncGenerator<VersionSnapshot<StoredDefinition>[]>>;
};

export function createCatalogue(ports: {
  database: Database;
  skills: Registry<StoredDefinition, ShownSkill>;
}): SkillCatalogue {
  const { database, skills } = ports;
  const find = (scope: Scope, idOrName: string, selector: Selector = {}) => skills.find(scope, idOrName, selector);

  return {
    async browse(scope, { text, pageSize, pageToken, alias }) {
      const order = { field: 'name', direction: 'asc', withDefinition: true } as const;
      const wanted = text?.toLowerCase().trim() ?? '';
      const found: SkillSummary[] = [];
      let token = pageToken;
      for (let searched = 0; ; ) {
        // No more than can still be shown, or the token would skip the rest.
        const size = Math.min(pageSize - found.length, PAGE_SIZE);
        const { groups, nextPageToken } = await skills.list(scope, {
          ...order,
          pageSize: size,
          pageToken: token,
          alias,
        });
        for await (const items of groups) {
          found.push(...items.map(summarise).filter((skill) => matches(skill, wanted)));
          searched += items.length;
        }
        token = nextPageToken;
        if (!token || found.length >= pageSize || searched >= SEARCHED_MAX)
          return { skills: found, nextPageToken: token };
      }
    },
    read: async (scope, idOrName, selector) => toCatalogueSkill(await find(scope, idOrName, selector)),
    async readFile(scope, idOrName, path, selector) {
      const snapshot = await find(scope, idOrName, selector);
      const file = filesOf(snapshot).find((candidate) => candidate.path === path);
      if (!file) throw skillErrors.skill_file_not_found(path, idOrName);
      if (path === SKILL_FILE) return { file, content: Buffer.from(renderSkillMd(snapshot.name, snapshot.definition)) };
      const content = (await listFiles(database.db, snapshot.id, [file.sha256])).get(file.sha256);
      if (!content) throw skillErrors.skill_not_found(idOrName);
      return { file, content };
    },
    async pointAlias(scope, idOrName, alias, version) {
      const { id, definition } = await find(scope, idOrName, { version });
      // The definition exists, so this creates no version and moves the alias to the existing one.
      await skills.createVersion(scope, id, { definition, aliases: [alias] });
      return toCatalogueSkill(await find(scope, id, { alias }));
    },
    async findings(scope, idOrName, selector) {
      const { id, definition } = await find(scope, idOrName, selector);
      const digests = [...new Set(Object.values(definition.files).map(({ sha256 }) => sha256))];
      return scanDefinition({ stored: definition, contents: await listFiles(database.db, id, digests) });
    },
    versions: async (scope, idOrName) => (await skills.history(scope, idOrName)).pages,
  };
}

function matches({ name, description }: SkillSummary, wanted: string): boolean {
  return wanted === '' || name.includes(wanted) || description.toLowerCase().includes(wanted);
}

function summarise({ skill }: ShownSkill): SkillSummary {
  return {
    id: skill.id,
    name: skill.name ?? '',
    description: skill.definition?.description ?? '',
    version: skill.version ?? 0,
    latestVersion: skill.latestVersion ?? 0,
    aliases: skill.aliases ?? [],
    sharing: skill.sharingScope === 'workspace' ? 'workspace' : 'private',
    updatedAt: skill.updatedAt ?? '',
  };
}

function toCatalogueSkill(snapshot: Snapshot<StoredDefinition>): CatalogueSkill {
  const { id, name, definition, version, latest_version, aliases, sharing, notes, digest, updated_at } = snapshot;
  const { description, body } = definition;
  return {
    id,
    name,
    description,
    body,
    version,
    latestVersion: latest_version,
    aliases,
    sharing,
    notes,
    digest,
    updatedAt: updated_at,
    files: filesOf(snapshot),
  };
}

function filesOf({ name, definition }: Snapshot<StoredDefinition>): SkillFile[] {
  const text = renderSkillMd(name, definition);
  const own = {
    path: SKILL_FILE,
    sha256: digestOf(text),
    bytes: Buffer.byteLength(text),
    isExecutable: false,
    isText: true,
  };
  const others = Object.entries(definition.files)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, { form, ...file }]) => ({ path, ...file, isText: form === 'text' }));
  return [own, ...others];
}

function renderSkillMd(name: string, { description, body }: StoredDefinition): string {
  return writeFrontMatter({ fields: { name, description }, body });
}

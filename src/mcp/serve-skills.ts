import type { McpServer, Resource } from '@modelcontextprotocol/server';
import { DIRECTORY_MIME_TYPE, type Skill, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import type { Logger } from '../kit/base/log.ts';
import type { Scope } from '../kit/http/index.ts';
import type { CatalogueSkill, SkillCatalogue } from '../skills/index.ts';
import { explained } from './explain.ts';
import { mimeTypeOf, readUri, uriOf } from './skill-uris.ts';
import { unlessMissing } from './unless-missing.ts';

const MANIFEST = 'SKILL.md';
/** A skill is listed with the digests of all its files, so pages are small. */
const SKILLS_PER_PAGE = 25;
const RESOURCES_PER_PAGE = 100;

/** The newest version of every skill the caller can see: as skills (SEP-2640), and each file as a resource. */
export function serveSkills(mcp: McpServer, scope: Scope, catalogue: SkillCatalogue, log: Logger): void {
  const read = (name: string) => unlessMissing(catalogue.read(scope, name));

  const extension = new SkillsExtension({
    onWarning: ({ path, message }) => log.debug({ path }, `A skill is not offered over MCP: ${message}`),
    source: {
      list: ({ cursor }) =>
        explained(log, async () => {
          const page = await catalogue.browse(scope, { pageSize: SKILLS_PER_PAGE, pageToken: cursor });
          const names = [...new Set(page.skills.map(({ name }) => name))];
          const found = await Promise.all(names.map(read));
          return withCursor({ skills: found.flatMap((skill) => (skill ? [entryOf(skill)] : [])) }, page.nextPageToken);
        }),
      get: (uri) =>
        explained(log, async () => {
          const place = readUri(uri);
          const skill = place?.path === MANIFEST ? await read(place.name) : undefined;
          return skill && entryOf(skill);
        }),
      read: (uri) =>
        explained(log, async () => {
          const place = readUri(uri);
          const found = place && (await unlessMissing(catalogue.readFile(scope, place.name, place.path)));
          if (!found) return undefined;
          const { file, content } = found;
          const mimeType = mimeTypeOf(file.path, file.isText);
          return file.isText ? { text: content.toString('utf8'), mimeType } : { bytes: content, mimeType };
        }),
      readDirectory: (uri) =>
        explained(log, async () => {
          const place = readUri(uri.replace(/\/$/, ''));
          const skill = place && (await read(place.name));
          const children = skill ? childrenOf(skill, place.path) : [];
          return children.length === 0 ? undefined : { resources: children };
        }),
    },
  });
  extension.attach(mcp);

  mcp.server.setRequestHandler('resources/list', ({ params }) =>
    explained(log, async () => {
      const page = await catalogue.browse(scope, { pageSize: RESOURCES_PER_PAGE, pageToken: params?.cursor });
      const resources = page.skills.map(({ name, description }) => ({
        uri: uriOf(name, MANIFEST),
        name,
        description,
        mimeType: mimeTypeOf(MANIFEST, true),
      }));
      return withCursor({ resources: uniqueByUri(resources) }, page.nextPageToken);
    }),
  );
}

function entryOf({ name, description, files }: CatalogueSkill): Skill {
  return {
    uri: uriOf(name, MANIFEST),
    frontmatter: { name, description },
    resources: files.map(({ path, sha256, bytes }) => ({
      uri: uriOf(name, path),
      digest: `sha256:${sha256}`,
      size: bytes,
    })),
  };
}

/** What lies directly in a folder of the skill; the path of its own folder is empty. */
function childrenOf({ name, files }: CatalogueSkill, folder: string): Resource[] {
  const prefix = folder === '' ? '' : `${folder}/`;
  const children = files
    .filter(({ path }) => path.startsWith(prefix))
    .map(({ path, bytes, isText }): Resource => {
      const [child = '', ...deeper] = path.slice(prefix.length).split('/');
      const uri = uriOf(name, prefix + child);
      if (deeper.length > 0) return { uri, name: child, mimeType: DIRECTORY_MIME_TYPE };
      return { uri, name: child, mimeType: mimeTypeOf(path, isText), size: bytes };
    });
  return uniqueByUri(children);
}

// One's own skill and a shared one may have the same name, and two files the same folder.
function uniqueByUri<T extends { uri: string }>(items: T[]): T[] {
  return [...new Map(items.map((item) => [item.uri, item])).values()];
}

function withCursor<T>(page: T, nextCursor: string | undefined): T | (T & { nextCursor: string }) {
  return nextCursor === undefined ? page : { ...page, nextCursor };
}

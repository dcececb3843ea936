import type { McpServer, Resource } from '@modelcontextprotocol/server';
import { DIRECTORY_MIME_TYPE, type Skill, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import type { Logger } from '../kit/base/log.ts';
import type { Scope } from '../kit/http/index.ts';
import type { CatalogueSkill, SkillCatalogue } from '../skills/index.ts';
import { withProtocolErrors } from './explain-error.ts';
import { mimeTypeOf, parseUri, uriOf } from './skill-uris.ts';
import { undefinedIfMissing } from './undefined-if-missing.ts';

const MANIFEST = 'SKILL.md';
/** Small, because each skill is listed with the digests of all its files. */
const SKILLS_PER_PAGE = 25;
const RESOURCES_PER_PAGE = 100;

/** Serves the newest version of every skill that the caller can see: as skills (SEP-2640), and as resources. */
export function serveSkills(
  mcp: McpServer,
  scope: Scope,
  catalogue: SkillCatalogue,
  log: Logger,
  listOthers: () => Promise<Resource[]>,
): void {
  const read = (name: string) => undefinedIfMissing(catalogue.read(scope, name));

  const extension = new SkillsExtension({
    onWarning: ({ path, message }) => log.debug({ path }, `A skill is not offered over MCP: ${message}`),
    source: {
      list: ({ cursor }) =>
        withProtocolErrors(log, async () => {
          const page = await catalogue.browse(scope, { pageSize: SKILLS_PER_PAGE, pageToken: cursor });
          const names = [...new Set(page.skills.map(({ name }) => name))];
          const found = await Promise.all(names.map(read));
          return withCursor({ skills: found.flatMap((skill) => (skill ? [entryOf(skill)] : [])) }, page.nextPageToken);
        }),
      get: (uri) =>
        withProtocolErrors(log, async () => {
          const target = parseUri(uri);
          const skill = target?.path === MANIFEST ? await read(target.name) : undefined;
          return skill && entryOf(skill);
        }),
      read: (uri) =>
        withProtocolErrors(log, async () => {
          const target = parseUri(uri);
          const found = target && (await undefinedIfMissing(catalogue.readFile(scope, target.name, target.path)));
          if (!found) return undefined;
          const { file, content } = found;
          const mimeType = mimeTypeOf(file.path, file.isText);
          return file.isText ? { text: content.toString('utf8'), mimeType } : { bytes: content, mimeType };
        }),
      readDirectory: (uri) =>
        withProtocolErrors(log, async () => {
          const target = parseUri(uri.replace(/\/$/, ''));
          const skill = target && (await read(target.name));
          const children = skill ? childrenOf(skill, target.path) : [];
          return children.length === 0 ? undefined : { resources: children };
        }),
    },
  });
  extension.attach(mcp);

  mcp.server.setRequestHandler('resources/list', ({ params }) =>
    withProtocolErrors(log, async () => {
      const page = await catalogue.browse(scope, { pageSize: RESOURCES_PER_PAGE, pageToken: params?.cursor });
      const resources = page.skills.map(({ name, description }) => ({
        uri: uriOf(name, MANIFEST),
        name,
        description,
        mimeType: mimeTypeOf(MANIFEST, true),
      }));
      // Others are few, and all on the first page.
      const others = params?.cursor === undefined ? await listOthers() : [];
      return withCursor({ resources: uniqueByUri([...resources, ...others]) }, page.nextPageToken);
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

/** The direct children of a folder of the skill; the path of its root is empty. */
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

// A private and a shared skill may have the same name, and two files the same folder.
function uniqueByUri<T extends { uri: string }>(items: T[]): T[] {
  return [...new Map(items.map((item) => [item.uri, item])).values()];
}

function withCursor<T>(page: T, nextCursor: string | undefined): T | (T & { nextCursor: string }) {
  return nextCursor === undefined ? page : { ...page, nextCursor };
}

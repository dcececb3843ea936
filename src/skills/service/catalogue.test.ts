import { createHash } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { createAuditService } from '../../audit/index.ts';
import { uuid } from '../../kit/base/ids.ts';
import type { Database } from '../../kit/db/index.ts';
import { createPageTokens, type Scope } from '../../kit/http/index.ts';
import { createSkillService, type SkillService } from '../index.ts';

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');

onEachDatabase('the catalogue for other rooms', (test) => {
  let database: Database;
  let skills: SkillService;
  const open = (opened: Database) =>
    createSkillService({
      database: opened,
      audit: createAuditService({ database: opened, now: Date.now }),
      tokens: createPageTokens('the same in every process'),
      now: Date.now,
    });
  beforeAll(async () => {
    database = await test.open();
    skills = open(database);
    return () => database.close();
  });

  const newScope = (workspace_id = uuid()) =>
    ({ workspace_id, organization_id: workspace_id, user_id: uuid(), key_id: uuid() }) as Scope;
  const make = (scope: Scope, name: string, description = '', more = {}) =>
    skills.create(scope, { name, definition: { description, ...more }, aliases: ['main'] });

  it('browses by name, page by page, at the version of an alias', async () => {
    const ann = newScope();
    for (const name of ['c', 'a', 'b']) await make(ann, name, `About ${name}`);
    await skills.createVersion(ann, 'a', { definition: { description: 'New' } });
    const first = await skills.catalogue.browse(ann, { pageSize: 2 });
    expect(first.skills).toMatchObject([
      { name: 'a', description: 'New', version: 2, latestVersion: 2 },
      { name: 'b', description: 'About b', version: 1, aliases: ['main'], sharing: 'private' },
    ]);
    const second = await skills.catalogue.browse(ann, { pageSize: 2, pageToken: first.nextPageToken });
    expect(second).toMatchObject({ skills: [{ name: 'c' }], nextPageToken: undefined });
    const main = await skills.catalogue.browse(ann, { pageSize: 2, alias: 'main' });
    expect(main.skills[0]).toMatchObject({ name: 'a', description: 'About a', version: 1 });
  });

  it('searches names and descriptions', async () => {
    const ann = newScope();
    for (let i = 0; i < 12; i++) await make(ann, `tool-${i}`, i % 4 === 0 ? 'Reads PDF files' : 'Other');
    const find = async (text: string) => {
      const names: string[] = [];
      let pageToken: string | undefined;
      do {
        const page = await skills.catalogue.browse(ann, { pageSize: 3, text, pageToken });
        names.push(...page.skills.map(({ name }) => name));
        pageToken = page.nextPageToken;
      } while (pageToken);
      return names;
    };
    expect(await find('pdf')).toEqual(['tool-0', 'tool-4', 'tool-8']);
    expect(await find('TOOL-1')).toEqual(['tool-1', 'tool-10', 'tool-11']);
    expect(await find('nothing')).toEqual([]);
  });

  it('reads a skill as the files of its folder, each with its digest', async () => {
    const ann = newScope();
    await make(ann, 'pdf', 'Fills in forms', {
      body: '# PDF\n',
      assets: { 'run.sh': { textContent: 'echo\n', isExecutable: true }, 'a.bin': { rawContent: 'AAEC' } },
    });
    const skillMd = '---\nname: pdf\ndescription: Fills in forms\n---\n\n# PDF\n';
    const skill = await skills.catalogue.read(ann, 'pdf');
    expect(skill).toMatchObject({
      name: 'pdf',
      body: '# PDF\n',
      version: 1,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      files: [
        { path: 'SKILL.md', sha256: sha256(skillMd), bytes: skillMd.length, isExecutable: false, isText: true },
        { path: 'a.bin', sha256: sha256(Buffer.from([0, 1, 2])), bytes: 3, isExecutable: false, isText: false },
        { path: 'run.sh', sha256: sha256('echo\n'), bytes: 5, isExecutable: true, isText: true },
      ],
    });
    for (const file of skill.files) {
      const read = await skills.catalogue.readFile(ann, skill.id, file.path, { alias: 'main' });
      expect(read.file).toEqual(file);
      expect(sha256(read.content)).toBe(file.sha256);
    }
    await expect(skills.catalogue.readFile(ann, 'pdf', '../x')).rejects.toThrow(/No file/);
    const [newest] = (await (await skills.catalogue.versions(ann, 'pdf')).next()).value ?? [];
    expect(newest).toMatchObject({ version: 1, aliases: ['main'] });
  });

  it('moves one alias to a version and leaves the others', async () => {
    const ann = newScope();
    await make(ann, 'a', 'one', { assets: { f: { textContent: 'x' } } });
    await skills.createVersion(ann, 'a', { definition: { description: 'two' }, aliases: ['main', 'next'] });
    expect(await skills.catalogue.pointAlias(ann, 'a', 'main', 1)).toMatchObject({
      version: 1,
      aliases: ['main'],
      latestVersion: 2,
    });
    expect(await skills.catalogue.read(ann, 'a')).toMatchObject({ version: 2, aliases: ['next'] });
    await expect(skills.catalogue.pointAlias(ann, 'a', 'main', 3)).rejects.toThrow(/version 3/);
    await expect(skills.catalogue.pointAlias(newScope(), 'a', 'main', 1)).rejects.toThrow(/No skill/);
  });

  it('keeps from others what is private or elsewhere', async () => {
    const ann = newScope();
    const [bob, eve] = [newScope(ann.workspace_id), newScope()];
    const { value } = await make(ann, 'mine');
    for (const other of [bob, eve]) {
      const id = value.id ?? '';
      await expect(skills.catalogue.read(other, id)).rejects.toThrow(/No skill/);
      await expect(skills.catalogue.readFile(other, id, 'SKILL.md')).rejects.toThrow(/No skill/);
      await expect(skills.catalogue.versions(other, id)).rejects.toThrow(/No skill/);
      expect((await skills.catalogue.browse(other, { pageSize: 9 })).skills).toEqual([]);
    }
  });
});

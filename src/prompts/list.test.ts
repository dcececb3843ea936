import { beforeAll, describe, expect, it } from 'vitest';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { clientOf, text, type Wire } from './prompts-for-tests.ts';

type Page = { data: Wire[]; nextPageToken?: string };

onEachDatabase('GET /v2/prompts', (database) => {
  let server: TestServer;
  let nobody: string;
  const client = clientOf(() => server);
  const { made } = client;
  const list = async (query: string, key?: string) =>
    (await client.read(`/v2/prompts${query}`, key)) as unknown as Page;
  const names = ({ data }: Page) => data.map(({ name }) => name);
  beforeAll(async () => {
    server = await startTestServer(database);
    nobody = await addStranger(server);
  });

  it('has data also when nothing matches, and no token after the last page [PROMPTS-LIST-DATA] [PROMPTS-LIST-LAST-PAGE]', async () => {
    expect(await list('', nobody)).toEqual({ data: [] });
    await made({}, nobody);
    expect(await list('?pageSize=1', nobody)).toEqual({ data: [expect.any(Object)] });
  });

  it('shows what the caller may see: the own and the shared, never what is private to others [PROMPTS-LIST]', async () => {
    const [ann, bob] = [await addColleague(server), await addColleague(server)];
    const shared = await made({ sharingScope: 'workspace' }, ann);
    const own = await made({}, ann);
    expect(names(await list('?pageSize=100', ann))).toEqual(expect.arrayContaining([shared.name, own.name]));
    const others = names(await list('?pageSize=100', bob));
    expect(others).toContain(shared.name);
    expect(others).not.toContain(own.name);
    expect(names(await list('?pageSize=100', nobody))).not.toContain(shared.name);
    expect((await list('?pageSize=100', bob)).data.find(({ id }) => id === shared.id)).toEqual(shared);
  });

  describe('in pages', () => {
    let reader: string;
    const all = Array.from({ length: 103 }, (_, i) => `n${String(i).padStart(3, '0')}`);
    beforeAll(async () => {
      reader = await addStranger(server);
      for (const [i, name] of all.entries()) await made({ name, title: `t${i % 7}` }, reader);
    });

    it.runIf(isSqliteOrFull(database))(
      'a page has 20 unless told otherwise, and never more than 100 [PROMPTS-PAGE-SIZE-DEFAULT] [PROMPTS-PAGE-SIZE-CAP] [PROMPTS-LIST-PAGE-SIZE]',
      async () => {
        expect((await list('', reader)).data).toHaveLength(20);
        expect((await list('?pageSize=7', reader)).data).toHaveLength(7);
        expect((await list('?pageSize=101', reader)).data).toHaveLength(100);
        expect((await list('?pageSize=2147483647', reader)).data).toHaveLength(100);
      },
    );

    it('nextPageToken continues without gap or repetition [PROMPTS-LIST-CURSOR]', async () => {
      const seen: unknown[] = [];
      for (let token: string | undefined = ''; token !== undefined; ) {
        const page: Page = await list(`?sort_by=name&pageSize=10${token && `&pageToken=${token}`}`, reader);
        seen.push(...names(page));
        token = page.nextPageToken;
      }
      expect(seen).toEqual(all);
    });

    it('orders by both spellings, newest first and texts from A to Z without a direction [PROMPTS-SORT]', async () => {
      const first = async (query: string) => names(await list(`?pageSize=1${query}`, reader))[0];
      for (const query of [
        '',
        '&sort_by=created_at',
        '&sort.field=list_sort_field_created_at',
        '&sort_by=last_modified_at',
      ])
        expect([query, await first(query)]).toEqual([query, all.at(-1)]);
      for (const query of [
        '&sort_by=name',
        '&sort.field=list_sort_field_name',
        '&sort_by=created_at&sort_direction=asc',
      ])
        expect([query, await first(query)]).toEqual([query, all[0]]);
      expect(await first('&sort_by=name&sort.direction=list_sort_direction_desc')).toBe(all.at(-1));
      expect(
        await first('&sort.field=list_sort_field_unspecified&sort.direction=list_sort_direction_unspecified'),
      ).toBe(all.at(-1));
      const titles = (await list('?sort_by=title&pageSize=100', reader)).data.map(({ title }) => title);
      expect(titles).toEqual([...titles].sort());
      const clash = await client.get('/v2/prompts?sort_by=name&sort.field=list_sort_field_title', reader);
      expect(clash.status).toBe(400);
    });

    it.runIf(isSqliteOrFull(database))('fields narrows each object [PROMPTS-LIST-FIELDS]', async () => {
      const page = await list('?sort_by=name&pageSize=2&fields=name,version', reader);
      expect(page.data).toEqual([
        { name: 'n000', version: 1 },
        { name: 'n001', version: 1 },
      ]);
      const { data } = await list('?pageSize=1&fields=definition.content', reader);
      expect(data).toEqual([{ definition: { content: 'Hi' } }]);
    });

    it.runIf(isSqliteOrFull(database))(
      'an altered token, and one of another list, is 400 [PROMPTS-TOKEN-OPAQUE]',
      async () => {
        const { nextPageToken = '' } = await list('?pageSize=5', reader);
        for (const query of [
          `?pageToken=${nextPageToken.slice(0, -1)}`,
          `?pageToken=A${nextPageToken}`,
          '?pageToken=nonsense',
          `?pageToken=${nextPageToken}&sort_by=name`,
          `?pageToken=${nextPageToken}&alias=main`,
        ])
          expect([query, (await client.get(`/v2/prompts${query}`, reader)).status]).toEqual([query, 400]);
        expect((await client.get(`/v2/prompts?pageToken=${nextPageToken}`, nobody)).status).toBe(400);
        expect((await client.get(`/v2/prompts?pageToken=${nextPageToken}&fields=id`, reader)).status).toBe(200);
      },
    );
  });

  it('with alias shows only prompts that have it, each at that version [PROMPTS-LIST-ALIAS]', async () => {
    const reader = await addStranger(server);
    const live = await made({ aliases: ['production'] }, reader);
    await client.addVersion(live.name, text('newer'), reader);
    await made({}, reader);
    const { data } = await list('?alias=production', reader);
    expect(data).toMatchObject([{ name: live.name, version: 1, latestVersion: 2, aliases: ['production'] }]);
  });

  it.runIf(isSqliteOrFull(database))('goes on with its tokens after a restart', async () => {
    const reader = await addStranger(server);
    for (let i = 0; i < 3; i++) await made({}, reader);
    const { nextPageToken } = await list('?pageSize=2', reader);
    const restarted = await startTestServer(database);
    const page = await clientOf(() => restarted).get(`/v2/prompts?pageToken=${nextPageToken}`, reader);
    expect(page).toMatchObject({ status: 200, body: { data: [expect.any(Object)] } });
  });
});

import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onEachDatabase, sqliteForTests } from '../../test/support/databases.ts';
import { decode, ffmpeg } from '../../test/support/ffmpeg.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import {
  collect,
  createTone,
  type SpeechServer,
  serveSpeech,
  type ToneEngine,
  wavForTests,
} from './speech-for-tests.ts';

const VOICES = '/v1/audio/voices';
const sample = wavForTests();
const sample_audio = sample.toString('base64');
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

type Voice = { id: string; slug: string; name: string; created_at: string };
type Page = { items: Voice[]; total: number; page: number; page_size: number; total_pages: number };

onEachDatabase('voices', (database) => {
  let server: SpeechServer;
  let engine: ToneEngine;
  let stranger: string;
  beforeAll(async () => {
    engine = createTone();
    // The second model has one of the first one's voices.
    const other = createTone({
      name: 'other',
      voices: [...engine.voices.slice(0, 1), { slug: 'zoe', name: 'Zoe', languages: [], gender: null }],
    });
    server = await serveSpeech(database, { tone: engine, other, silent: undefined });
    stranger = await addStranger(server);
  });
  const create = async (body: Record<string, unknown> = {}, headers: Record<string, string> = {}) => {
    const answer = await call(server, VOICES, { body: { name: 'Eva', sample_audio, ...body }, headers });
    return { ...answer, voice: answer.body as Voice };
  };
  const list = async (query: string, key = server.key) =>
    (await call(server, `${VOICES}${query}`, { key })).body as Page;
  const auditOf = async () => {
    const { database, audit, tenants } = server.platform;
    const [organization] = await tenants.listOrganizations();
    const entries = await audit.list(database.db, organization?.id ?? '', {
      target_type: ['CUSTOM_VOICE'],
      limit: 100,
    });
    return entries.map(({ event_type, target_metadata }) => [event_type, target_metadata]);
  };

  describe('search', () => {
    type Found = { data: Voice[]; next_page_token: string | null };
    const search = async (query: string, key = server.key) => {
      const answer = await call(server, `/v2/audio/voices${query}`, { key });
      return { status: answer.status, ...(answer.body as Found) };
    };
    const namesOf = async (query: string, key?: string) => (await search(query, key)).data.map(({ name }) => name);

    it('finds voices by name, language, gender, type and kind, in full pages to the end', async () => {
      for (const [name, gender, languages] of [
        ['Found Anna', 'Female', ['fr-FR']],
        ['Found Bert', 'male', ['fr', 'de']],
        ['Found Cleo', 'female', ['en']],
      ] as const)
        await create({ name, gender, languages });
      expect(await namesOf('?query=FOUND')).toEqual(['Found Cleo', 'Found Bert', 'Found Anna']);
      expect(await namesOf('?query=found&language=fr&language=xx')).toEqual(['Found Bert', 'Found Anna']);
      expect(await namesOf('?query=found&gender=female')).toEqual(['Found Cleo', 'Found Anna']);
      expect(await namesOf('?query=found&kind=ivc')).toHaveLength(3);
      expect(await namesOf('?query=found&kind=pvc')).toEqual([]);
      expect(await namesOf('?type=preset&page_size=100')).toHaveLength(3);
      expect(await namesOf('?query=found', stranger)).toEqual([]);
      const all = await namesOf('?page_size=100');
      const seen: string[] = [];
      for (let token: string | null = ''; token !== null; ) {
        const page: Found = await search(`?page_size=2${token && `&page_token=${encodeURIComponent(token)}`}`);
        seen.push(...page.data.map(({ name }) => name));
        token = page.next_page_token;
      }
      expect(seen).toEqual(all);
    });

    it('refuses a cursor of another search, unknown values and unknown parameters', async () => {
      const { next_page_token } = await search('?query=found&page_size=1');
      const other = await search(`?query=other&page_token=${encodeURIComponent(next_page_token ?? '')}`);
      expect(other.status).toBeGreaterThanOrEqual(400);
      expect(other.status).toBeLessThan(500);
      for (const query of ['?page_size=0', '?page_size=101', '?gender=other', '?type=x', '?kind=x', '?limit=3'])
        expect([query, (await search(query)).status]).toEqual([query, 422]);
      expect((await call(server, '/v2/audio/voices', { key: 'wrong' })).status).toBe(401);
    });
  });

  describe('presets', () => {
    it('are listed with language and gender, each once, with an id that is always the same [VOICES-LIST] [VOICES-FIELDS]', async () => {
      const page = await list('?type=preset');
      expect(page).toMatchObject({ total: 3, page: 1, page_size: 10, total_pages: 1 });
      expect(page.items[0]).toEqual({
        id: '2176ab38-caf9-863a-b34c-c0f310bca102',
        name: 'Anna',
        slug: 'anna',
        languages: ['de-DE'],
        gender: 'female',
        age: null,
        tags: ['preset', 'tone'],
        color: null,
        description: null,
        retention_notice: 30,
        created_at: '2026-01-01T00:00:00.000000Z',
        user_id: null,
        type: 'preset',
        trimmed_seconds: null,
      });
      expect(page.items.map(({ slug }) => slug)).toEqual(['anna', 'ben', 'zoe']);
      for (const { id } of page.items) expect(id).toMatch(UUID);
    });

    it('are found by id and by slug [VOICES-GET]', async () => {
      const [anna] = (await list('?type=preset')).items;
      for (const name of ['anna', anna?.id, anna?.id.toUpperCase()])
        expect(await call(server, `${VOICES}/${name}`)).toMatchObject({ status: 200, body: anna });
    });

    it('say a few words in their language, once for all who ask [VOICES-SAMPLE]', async () => {
      const asked = engine.requests.length;
      const answers = await Promise.all(
        [1, 2, 3].map(async () => {
          const response = await fetch(`${server.url}${VOICES}/anna/sample`, {
            headers: { authorization: `Bearer ${server.key}` },
          });
          expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/wav']);
          return Buffer.from(await response.arrayBuffer());
        }),
      );
      expect(engine.requests.slice(asked)).toEqual([{ text: 'Guten Tag. So klingt meine Stimme.', voice: 'anna' }]);
      const [file = Buffer.alloc(0)] = answers;
      expect(file.toString('latin1', 0, 4)).toBe('RIFF');
      expect(file.readUInt32LE(40)).toBe(file.length - 44);
      if (ffmpeg) expect(decode(file, 'wav', 24_000).complaints).toBe('');
    });

    it('cannot be changed or deleted [VOICES-UPDATE]', async () => {
      const [anna] = (await list('?type=preset')).items;
      for (const options of [{ method: 'PATCH', body: { name: 'x' } }, { method: 'DELETE' }])
        expect(await call(server, `${VOICES}/${anna?.id}`, options)).toMatchObject({
          status: 403,
          body: { type: 'permission_error', message: expect.stringContaining('only custom voices') },
        });
    });
  });

  describe('a custom voice', () => {
    it('is made with what was said about it [VOICES-CREATE] [VOICES-FIELDS]', async () => {
      const fields = {
        name: 'Éva Grün',
        slug: 'eva',
        languages: ['hu', 'de'],
        gender: 'female',
        age: 41,
        tags: ['calm', 'näh\u0000'],
        color: '#aabbcc',
        description: 'd'.repeat(500),
        retention_notice: 7,
      };
      const { status, voice } = await create({ ...fields, sample_filename: 'eva.wav' });
      expect(status).toBe(200);
      const user = await call(server, VOICES, { key: stranger });
      expect(user.status).toBe(200);
      expect(voice).toEqual({
        ...fields,
        tags: ['calm', 'näh\ufffd'],
        id: expect.stringMatching(UUID),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
        user_id: expect.stringMatching(UUID),
        type: 'custom',
        trimmed_seconds: null,
      });
      for (const name of ['eva', voice.id])
        expect(await call(server, `${VOICES}/${name}`)).toMatchObject({ status: 200, body: voice });
    });

    it('without a slug gets one of its name, also when the name is taken', async () => {
      const [one, two, other] = [
        await create({ name: 'Zoë  Smith!' }),
        await create({ name: 'Zoë  Smith!' }),
        await create({ name: '王' }),
      ];
      expect([one.voice.slug, two.voice.slug]).toEqual([
        expect.stringMatching(/^zoe-smith-[0-9a-f]{6}$/),
        expect.stringMatching(/^zoe-smith-[0-9a-f]{6}$/),
      ]);
      expect(one.voice.slug).not.toBe(two.voice.slug);
      expect(other.voice.slug).toMatch(/^voice-[0-9a-f]{6}$/);
    });

    it('comes first in the list, the newest at the top, and pages go on into the presets [VOICES-LIST]', async () => {
      const { voice } = await create({ name: 'Newest' });
      const all = await list('?limit=100');
      const customs = await list('?type=custom&limit=100');
      expect(all.items[0]).toEqual(voice);
      expect(all.items).toHaveLength(all.total);
      expect([customs.total + 3, customs.items.at(0)]).toEqual([all.total, voice]);
      const paged: Voice[] = [];
      for (let offset = 0; offset < all.total; offset += 2) {
        const page = await list(`?limit=2&offset=${offset}`);
        expect(page).toMatchObject({
          page: offset / 2 + 1,
          page_size: 2,
          total: all.total,
          total_pages: Math.ceil(all.total / 2),
        });
        paged.push(...page.items);
      }
      expect(paged).toEqual(all.items);
      expect((await list(`?offset=${all.total + 5}`)).items).toEqual([]);
      expect(JSON.stringify(all)).not.toContain(sample_audio.slice(0, 40));
    });

    it('is changed by what is sent; null empties a field, except the name [VOICES-UPDATE]', async () => {
      const { voice } = await create({ languages: ['de'], gender: 'female', age: 3, tags: ['a'], description: 'x' });
      const path = `${VOICES}/${voice.id}`;
      const patch = (body: unknown) => call(server, path, { method: 'PATCH', body });
      expect((await patch({ name: 'Other', age: 4 })).body).toEqual({ ...voice, name: 'Other', age: 4 });
      const emptied = { gender: null, age: null, tags: null, description: null };
      expect((await patch({ name: null, languages: null, ...emptied })).body).toEqual({
        ...voice,
        name: 'Other',
        languages: [],
        ...emptied,
      });
      expect((await patch({})).body).toEqual((await call(server, path)).body);
    });

    it('is gone when it is deleted, and the answer is what it was [VOICES-DELETE]', async () => {
      const { voice } = await create({ slug: 'short-lived' });
      const path = `${VOICES}/${voice.id}`;
      expect(await call(server, path, { method: 'DELETE' })).toMatchObject({ status: 200, body: voice });
      for (const request of [
        call(server, path),
        call(server, `${path}/sample`),
        call(server, path, { method: 'DELETE' }),
        call(server, `${VOICES}/short-lived`),
      ])
        expect(await request).toMatchObject({ status: 404, body: { type: 'not_found_error' } });
      expect(await create({ slug: 'short-lived' })).toMatchObject({ status: 200 });
    });

    it('gives its sample back as it was sent [VOICES-SAMPLE]', async () => {
      const { voice } = await create();
      const response = await fetch(`${server.url}${VOICES}/${voice.slug}/sample`, {
        headers: { authorization: `Bearer ${server.key}` },
      });
      expect(response.headers.get('content-type')).toBe('audio/wav');
      expect(sample.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
    });

    it('is in the audit log when it is made, changed and deleted', async () => {
      const before = await auditOf();
      const { voice } = await create({ name: 'Watched' });
      await call(server, `${VOICES}/${voice.id}`, { method: 'PATCH', body: { name: 'Renamed' } });
      await call(server, `${VOICES}/${voice.id}`, { method: 'DELETE' });
      const after = await auditOf();
      expect(after.slice(0, after.length - before.length)).toEqual([
        ['custom_voice.delete', { id: voice.id, name: 'Renamed' }],
        ['custom_voice.update', { id: voice.id, name: 'Renamed' }],
        ['custom_voice.create', { id: voice.id, name: 'Watched' }],
      ]);
    });

    it('is made once under one Idempotency-Key', async () => {
      const headers = { 'idempotency-key': 'one-voice' };
      const [first, again] = [await create({ name: 'Once' }, headers), await create({ name: 'Once' }, headers)];
      expect(again.voice).toEqual(first.voice);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    });

    it('takes its sample with it, unless another voice has the same', async () => {
      const content = Buffer.concat([sample, Buffer.from(server.url)]).toString('base64');
      const one = await create({ sample_audio: content });
      const two = await create({ sample_audio: content });
      const files = async () => (await collect(server.blobs.list())).length;
      /** As if every sample had been written long ago. */
      const prune = async () => {
        const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
        for await (const digest of server.blobs.list())
          utimesSync(join(server.blobsDir, digest.slice(0, 2), digest.slice(2)), longAgo, longAgo);
        await server.voices.prune();
      };
      const before = await files();
      await call(server, `${VOICES}/${one.voice.id}`, { method: 'DELETE' });
      await prune();
      expect(await files()).toBe(before);
      await call(server, `${VOICES}/${two.voice.id}`, { method: 'DELETE' });
      await server.voices.prune();
      await prune();
      expect(await files()).toBe(before - 1);
    });

    it('with a slug that is taken, by another or by a preset, is 409', async () => {
      await create({ slug: 'taken' });
      for (const slug of ['taken', 'anna'])
        expect(await create({ slug })).toMatchObject({
          status: 409,
          body: { type: 'conflict_error', message: expect.stringContaining(`'${slug}'`) },
        });
      const elsewhere = await call(server, VOICES, {
        key: stranger,
        body: { name: 'Eva', slug: 'taken', sample_audio },
      });
      expect(elsewhere.status).toBe(200);
    });

    it('of another workspace looks exactly like a missing one, everywhere', async () => {
      const { voice } = await create({ slug: 'mine' });
      const missing = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
      for (const [suffix, method, body] of [
        ['', 'GET'],
        ['/sample', 'GET'],
        ['', 'DELETE'],
        ['', 'PATCH', { name: 'x' }],
      ] as const) {
        const ask = (id: string) =>
          call(server, `${VOICES}/${id}${suffix}`, { key: stranger, method, ...(body && { body }) });
        const [theirs, nobodys] = [await ask(voice.id), await ask(missing)];
        expect(theirs.status).toBe(404);
        expect(theirs.text.replaceAll(voice.id, missing)).toBe(nobodys.text);
      }
      expect((await call(server, `${VOICES}/mine`, { key: stranger })).status).toBe(404);
      for (const voice_id of [voice.id, 'mine']) {
        const body = { input: 'Hello.', voice_id, model: 'tone' };
        expect(await call(server, '/v1/audio/speech', { key: stranger, body })).toMatchObject({ status: 404 });
      }
      expect((await list('?type=custom&limit=100', stranger)).items.map(({ id }) => id)).not.toContain(voice.id);
      expect(await call(server, `${VOICES}/${voice.id}`)).toMatchObject({ status: 200 });
    });
  });
});

describe('refusals', () => {
  let server: SpeechServer;
  beforeAll(async () => {
    server = await serveSpeech(sqliteForTests(), { tone: createTone() });
  });
  const missing = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

  it.each([
    ['no name', { name: undefined }, 'name'],
    ['an empty name', { name: ' ' }, 'name'],
    ['a name without end', { name: 'x'.repeat(201) }, 'name'],
    ['a slug with spaces', { slug: 'a b' }, 'slug'],
    ['a slug that is an id', { slug: missing }, 'slug'],
    ['a description that is too long', { description: 'x'.repeat(501) }, 'description'],
    ['languages that are no list', { languages: 'de' }, 'languages'],
    ['an age that is no number', { age: 'old' }, 'age'],
    ['no sample', { sample_audio: undefined }, 'sample_audio'],
    ['a sample that is no base64', { sample_audio: '***' }, 'sample_audio'],
    ['a sample that is no sound', { sample_audio: Buffer.from('<html></html>').toString('base64') }, 'sample_audio'],
    [
      'a sample that is a tag and nothing after it',
      { sample_audio: Buffer.from('ID3\u0004\u0000\u0000\u0000\u0000\u0000\u0010').toString('base64') },
      'sample_audio',
    ],
    ['an unknown property', { volume: 11 }, 'volume'],
  ])('422 for %s [VOICES-CREATE]', async (_name, body, field) => {
    const answer = await call(server, VOICES, { body: { name: 'Eva', sample_audio, ...body } });
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', field] }] } });
  });

  it('422 for a sample of more than 10 MiB, 413 for a body that has room for none', async () => {
    const large = (bytes: number) =>
      call(server, VOICES, {
        body: { name: 'Eva', sample_audio: Buffer.concat([sample, Buffer.alloc(bytes)]).toString('base64') },
      });
    expect(await large(10 * 1024 * 1024)).toMatchObject({ status: 422 });
    expect(await large(13 * 1024 * 1024)).toMatchObject({ status: 413 });
  });

  it.each([
    ['GET', '?limit=0'],
    ['GET', '?limit=101'],
    ['GET', '?offset=-1'],
    ['GET', '?type=mine'],
    ['GET', '?page=1'],
    ['PATCH', '/anna'],
    ['DELETE', '/anna'],
    ['PATCH', `/${missing}?x=1`],
  ])('422 for %s %s', async (method, path) => {
    expect(
      await call(server, `${VOICES}${path}`, { method, ...(method === 'PATCH' && { body: { volume: 11 } }) }),
    ).toMatchObject({ status: 422 });
  });

  it('404 for names that nobody has, whatever they hold', async () => {
    for (const name of [missing, 'nobody', '%00', 'a%2fb', '%F0%9F%98%80', `x${'y'.repeat(90)}`])
      for (const suffix of ['', '/sample'])
        expect(await call(server, `${VOICES}/${name}${suffix}`)).toMatchObject({ status: 404 });
  });

  it('401 without a key, 403 for a role that may not', async () => {
    const billing = await addColleague(server, 'billing');
    const executor = await addColleague(server, 'workflow_executor');
    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['GET', '/anna'],
      ['PATCH', `/${missing}`],
      ['DELETE', `/${missing}`],
      ['GET', '/anna/sample'],
    ] as const) {
      const body = method === 'POST' || method === 'PATCH' ? { body: { name: 'x' } } : {};
      expect(await call(server, `${VOICES}${path}`, { method, key: '', ...body })).toMatchObject({ status: 401 });
      expect(await call(server, `${VOICES}${path}`, { method, key: billing, ...body })).toMatchObject({ status: 403 });
      if (method !== 'GET')
        expect(await call(server, `${VOICES}${path}`, { method, key: executor, ...body })).toMatchObject({
          status: 403,
        });
    }
    expect(await call(server, VOICES, { key: executor })).toMatchObject({ status: 200 });
  });
});

it('a sample that was sent as mp3 comes back as audio/wav that another program plays [VOICES-SAMPLE]', async () => {
  const server = await serveSpeech(sqliteForTests(), { tone: createTone() });
  const spoken = await call(server, '/v1/audio/speech', { body: { input: 'Hello there.' } });
  const mp3 = Buffer.from((spoken.body as { audio_data: string }).audio_data, 'base64');
  // With a tag of ten bytes before the sound, as programs that record write it.
  const tagged = Buffer.concat([Buffer.from('ID3\u0004\u0000\u0000\u0000\u0000\u0000\u000a'), Buffer.alloc(10), mp3]);
  for (const file of [mp3, tagged]) {
    const made = await call(server, VOICES, { body: { name: 'Eva', sample_audio: file.toString('base64') } });
    const response = await fetch(`${server.url}${VOICES}/${(made.body as Voice).id}/sample`, {
      headers: { authorization: `Bearer ${server.key}` },
    });
    const wav = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-type')).toBe('audio/wav');
    expect(wav.toString('latin1', 0, 16)).toMatch(/^RIFF....WAVEfmt /s);
    expect(wav.indexOf(mp3)).toBe(58);
    if (!ffmpeg) continue;
    const { samples, complaints } = decode(wav, 'wav', 24_000);
    expect(complaints).toBe('');
    expect(samples.length / 24_000).toBeCloseTo(decode(mp3, 'mp3', 24_000).samples.length / 24_000, 1);
  }
});

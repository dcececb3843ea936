import type { AuditLogEventType, AuditService } from '../../audit/index.ts';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import { type Blobs, CONTENT_GRACE_MS, deletedContent } from '../../kit/blobs/index.ts';
import { type Database, isUniqueViolation, type Tx } from '../../kit/db/index.ts';
import type { PageTokens, Scope } from '../../kit/http/index.ts';
import type { Tasks } from '../../kit/tasks/index.ts';
import type { Call } from '../../metering/index.ts';
import { actorOf } from '../../tenants/index.ts';
import { speechErrors } from '../errors.ts';
import { wrapMp3 } from '../mp3-in-wav.ts';
import { parseAudio } from '../parse-audio.ts';
import { findPreset, type Preset, presetsOf, showPreset } from '../presets.ts';
import type {
  VoiceCreateRequest,
  VoiceListPage,
  VoiceListResponse,
  VoiceResponse,
  VoicesQuery,
  VoicesSearchQuery,
  VoiceUpdateRequest,
} from '../schema/voices.ts';
import { listSpeakers, type Speaker, type SpeakingModels } from '../speakers.ts';
import {
  countVoices,
  deleteVoice,
  findReferenced,
  findVoice,
  findVoiceBySlug,
  insertVoice,
  listVoices,
  updateVoice,
  type VoiceRow,
} from '../store.ts';
import { searchVoices } from './search-voices.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Longer than it takes from the last byte of a sample to its row, on any process that shares the directory. */
const UNREFERENCED_MS = 60 * 60 * 1000;

export type VoiceService = {
  list(scope: Scope, query: VoicesQuery): Promise<VoiceListResponse>;
  search(scope: Scope, query: VoicesSearchQuery): Promise<VoiceListPage>;
  get(scope: Scope, idOrSlug: string): Promise<VoiceResponse>;
  create(scope: Scope, request: VoiceCreateRequest): Promise<VoiceResponse>;
  update(scope: Scope, id: string, changes: VoiceUpdateRequest): Promise<VoiceResponse>;
  remove(scope: Scope, id: string): Promise<VoiceResponse>;
  /** A WAV file. */
  sample(call: Call, idOrSlug: string): Promise<Uint8Array>;
  findCustom(scope: Scope, idOrSlug: string): Promise<VoiceRow | undefined>;
  /** What was uploaded, as it was. */
  readSample(voice: VoiceRow): Promise<Uint8Array>;
  /** Removes those of these samples that no voice has any more. */
  removeContent(sha256s: string[]): Promise<void>;
  /** The same for all samples. */
  prune(): Promise<void>;
};

export type VoicePorts = {
  database: Database;
  blobs: Blobs;
  tasks: Tasks;
  audit: AuditService;
  models: SpeakingModels;
  tokens: PageTokens;
  now: Clock;
  /** Speaks a few words with a preset. */
  speakSample(call: Call, speaker: Speaker, preset: Preset): Promise<Uint8Array>;
};

export function createVoiceService({
  database,
  blobs,
  tasks,
  audit,
  models,
  tokens,
  now,
  speakSample,
}: VoicePorts): VoiceService {
  const { db } = database;
  const isReferenced = (sha256s: string[]) => findReferenced(db, sha256s);

  function findCustom({ workspace_id }: Scope, idOrSlug: string): Promise<VoiceRow | undefined> {
    return UUID.test(idOrSlug)
      ? findVoice(db, workspace_id, idOrSlug.toLowerCase())
      : findVoiceBySlug(db, workspace_id, storable(idOrSlug));
  }

  /** A custom voice, or the reason why this one cannot be changed. */
  async function changeable(scope: Scope, id: string): Promise<VoiceRow> {
    const row = await findCustom(scope, id);
    if (row) return row;
    if (findAmong(listSpeakers(models, scope.workspace_id), id)) throw speechErrors.preset_voice();
    throw speechErrors.voice_not_found(id);
  }

  const record = (tx: Tx, scope: Scope, event_type: AuditLogEventType, { id, name }: VoiceRow) =>
    audit.record(tx, {
      organization_id: scope.organization_id,
      workspace_id: scope.workspace_id,
      actor: actorOf(scope),
      event_type,
      target_type: 'CUSTOM_VOICE',
      target_metadata: { id, name },
    });

  async function readSample({ id, sample_sha256 }: VoiceRow): Promise<Buffer> {
    const bytes = await blobs.read(sample_sha256);
    if (bytes) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    throw speechErrors.voice_sample_missing({
      cause: new Error(`The voice ${id} has no sample ${sample_sha256} in the data dir of this server.`),
    });
  }

  return {
    findCustom,
    readSample,
    async list({ workspace_id }, { limit, offset, type }) {
      const presets = type === 'custom' ? [] : distinctPresets(listSpeakers(models, workspace_id));
      const customs = type === 'preset' ? 0 : await countVoices(db, workspace_id);
      // A workspace's own voices come first, the newest at the top; the presets follow in the order of the models.
      const rows = offset < customs ? await listVoices(db, workspace_id, { limit, offset }) : [];
      const start = Math.max(0, offset - customs);
      const shown = presets.slice(start, start + limit - rows.length);
      const total = customs + presets.length;
      return {
        items: [...rows.map(showVoice), ...shown],
        total,
        page: Math.floor(offset / limit) + 1,
        page_size: limit,
        total_pages: Math.ceil(total / limit),
      };
    },
    search: ({ workspace_id: workspaceId }, query) => {
      const presets = () => distinctPresets(listSpeakers(models, workspaceId));
      return searchVoices({ database, tokens, workspaceId, presets, show: showVoice }, query);
    },
    async get(scope, idOrSlug) {
      const preset = findAmong(listSpeakers(models, scope.workspace_id), idOrSlug);
      if (preset) return showPreset(preset.speaker, preset.voice);
      const row = await findCustom(scope, idOrSlug);
      if (!row) throw speechErrors.voice_not_found(idOrSlug);
      return showVoice(row);
    },
    async create(scope, { sample_audio, sample_filename, slug, ...fields }) {
      const audio = parseAudio(sample_audio, 'sample_audio');
      const id = uuidv7(now());
      if (slug && findAmong(listSpeakers(models, scope.workspace_id), slug)) throw speechErrors.voice_slug_taken(slug);
      // The content first, so that no row ever lacks its content.
      const { sha256, bytes } = await blobs.put(audio.bytes);
      const row: VoiceRow = {
        id,
        workspace_id: scope.workspace_id,
        user_id: scope.user_id,
        name: fields.name,
        slug: slug ?? slugOf(fields.name, id),
        languages: fields.languages,
        gender: fields.gender ?? null,
        age: fields.age ?? null,
        tags: fields.tags ?? null,
        color: fields.color ?? null,
        description: fields.description ?? null,
        retention_notice: fields.retention_notice,
        sample_sha256: sha256,
        sample_bytes: bytes,
        sample_type: audio.type,
        sample_filename: sample_filename ?? null,
        created_at: isoMicros(now),
      };
      try {
        await database.transaction(async (tx) => {
          await insertVoice(tx, row);
          await record(tx, scope, 'custom_voice.create', row);
        });
      } catch (error) {
        if (isUniqueViolation(error)) throw speechErrors.voice_slug_taken(row.slug);
        throw error;
      }
      return showVoice(row);
    },
    async update(scope, id, { name, languages, retention_notice, ...rest }) {
      const row = await changeable(scope, id);
      const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
      const changed: VoiceRow = {
        ...row,
        ...given,
        name: name ?? row.name,
        languages: languages === undefined ? row.languages : (languages ?? []),
        retention_notice: retention_notice ?? row.retention_notice,
      };
      await database.transaction(async (tx) => {
        const { name, languages, gender, age, tags, description, retention_notice } = changed;
        const changes = { name, languages, gender, age, tags, description, retention_notice };
        if (!(await updateVoice(tx, row.workspace_id, row.id, changes))) throw speechErrors.voice_not_found(id);
        await record(tx, scope, 'custom_voice.update', changed);
      });
      return showVoice(changed);
    },
    async remove(scope, id) {
      const row = await changeable(scope, id);
      await database.transaction(async (tx) => {
        if (!(await deleteVoice(tx, row.workspace_id, row.id))) throw speechErrors.voice_not_found(id);
        await record(tx, scope, 'custom_voice.delete', row);
        await tasks.enqueue(tx, deletedContent('voices', [row.sample_sha256], now()));
      });
      return showVoice(row);
    },
    async sample(call, idOrSlug) {
      const { scope } = call;
      const preset = findAmong(listSpeakers(models, scope.workspace_id), idOrSlug);
      if (preset) return speakSample(call, preset.speaker, preset.voice);
      const row = await findCustom(scope, idOrSlug);
      if (!row) throw speechErrors.voice_not_found(idOrSlug);
      const bytes = await readSample(row);
      return row.sample_type === 'mp3' ? wrapMp3(bytes) : bytes;
    },
    async removeContent(sha256s) {
      await blobs.collectSome(sha256s, { isReferenced, untouchedSince: new Date(now() - CONTENT_GRACE_MS) });
    },
    async prune() {
      const untouchedSince = new Date(now() - UNREFERENCED_MS);
      await blobs.collect({ isReferenced, untouchedSince });
      await blobs.sweep({ untouchedSince });
    },
  };
}

function findAmong(speakers: Speaker[], idOrSlug: string): { speaker: Speaker; voice: Preset } | undefined {
  for (const speaker of speakers) {
    const voice = findPreset(speaker.speech, idOrSlug);
    if (voice) return { speaker, voice };
  }
  return undefined;
}

/** Two models may have the same voices; each is listed once, with the first. */
function distinctPresets(speakers: Speaker[]): VoiceResponse[] {
  const byId = new Map<string, VoiceResponse>();
  for (const speaker of speakers)
    for (const preset of presetsOf(speaker.speech))
      if (!byId.has(preset.id)) byId.set(preset.id, showPreset(speaker, preset));
  return [...byId.values()];
}

function showVoice(row: VoiceRow): VoiceResponse {
  const { id, name, slug, languages, gender, age, tags, color, description, retention_notice } = row;
  const { created_at, user_id } = row;
  const fields = { id, name, slug, languages, gender, age, tags, color, description, retention_notice };
  return { ...fields, created_at, user_id, type: 'custom', trimmed_seconds: null };
}

/** A slug for people, with the end of the id so that two voices of one name do not meet. */
function slugOf(name: string, id: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ['voice'];
  return `${words.join('-').slice(0, 60).replace(/-$/, '')}-${id.slice(-6)}`;
}

function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

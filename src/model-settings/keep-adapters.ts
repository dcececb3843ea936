import type { AuditService } from '../audit/index.ts';
import { type Clock, isoMicros } from '../kit/base/clock.ts';
import { uuid } from '../kit/base/ids.ts';
import { type Blobs, CONTENT_GRACE_MS, type StagedBlob } from '../kit/blobs/index.ts';
import type { Database, Tx } from '../kit/db/index.ts';
import type { Upload } from '../kit/http/index.ts';
import type { Caller } from '../tenants/index.ts';
import { modelSettingsErrors } from './errors.ts';
import { explainAdapterHead, HEAD_BYTES } from './read-adapter-head.ts';
import type { ModelAdapter, ModelAdapters } from './schema.ts';
import { type AdapterRow, deleteAdapter, findAdapter, insertAdapter, listAdapters, listStored } from './store.ts';
import { readSettings } from './stored-models.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_MS = 60 * 60 * 1000;
const NAME_MAX = 255;
const UNNAMED = 'adapter.gguf';

export type StagedAdapter = StagedBlob & { head: Buffer };

/** LoRA adapters that were uploaded: a row, and its content as a blob. */
export function createAdapters(ports: { database: Database; audit: AuditService; blobs: Blobs; now: Clock }) {
  const { database, audit, blobs, now } = ports;
  const { db } = database;

  const isReferenced = async (sha256s: string[]) => {
    const kept = new Set((await listAdapters(db)).map(({ sha256 }) => sha256));
    return new Set(sha256s.filter((sha256) => kept.has(sha256)));
  };

  /** Which models use which adapter. */
  async function usersOf(at: Tx | typeof db): Promise<(id: string) => string[]> {
    const settings = (await listStored(at)).flatMap((row) => readSettings(row) ?? []);
    return (id) => settings.flatMap((one) => (one.engine === 'llama' && one.adapter === id ? [one.id] : []));
  }

  /** Removes content whose row is gone, unless another row has the same. */
  async function forget(sha256: string): Promise<void> {
    await blobs.collectSome([sha256], { isReferenced, untouchedSince: new Date(now() - CONTENT_GRACE_MS) });
  }

  function record(tx: Tx, caller: Caller, event: 'create' | 'delete', { id, filename, sha256 }: AdapterRow) {
    const target_metadata = { id, adapter: filename, sha256 };
    return audit.record(tx, { ...caller, event_type: `model.${event}`, target_type: 'MODEL', target_metadata });
  }

  return {
    async stage(content: AsyncIterable<Uint8Array>, bytesMax: number): Promise<StagedAdapter> {
      const head: Uint8Array[] = [];
      let length = 0;
      async function* watched() {
        for await (const chunk of content) {
          if (length < HEAD_BYTES) head.push(chunk);
          length += chunk.length;
          yield chunk;
        }
      }
      const staged = await blobs.stage(watched(), { bytesMax });
      return { ...staged, head: Buffer.concat(head).subarray(0, HEAD_BYTES) };
    },
    async upload(caller: Caller, { filename, content }: Upload<StagedAdapter>): Promise<ModelAdapter> {
      const problem = explainAdapterHead(content.head);
      if (problem) throw modelSettingsErrors.model_adapter_invalid(['body', 'file'], problem, filename);
      const row = {
        ...{ id: uuid(), filename: filename.slice(0, NAME_MAX) || UNNAMED },
        ...{ sha256: content.sha256, bytes: content.bytes, created_at: isoMicros(now) },
      };
      await content.publish();
      await database.transaction(async (tx) => {
        await insertAdapter(tx, row);
        await record(tx, caller, 'create', row);
      });
      return { ...row, used_by: [] };
    },
    async list(): Promise<ModelAdapters> {
      const [rows, users] = [await listAdapters(db), await usersOf(db)];
      return { data: rows.map((row) => ({ ...row, bytes: Number(row.bytes), used_by: users(row.id) })) };
    },
    find: (id: string): Promise<AdapterRow | undefined> => findAdapter(db, id),
    async remove(caller: Caller, id: string): Promise<{ id: string; deleted: true }> {
      const sha256 = await database.transaction(async (tx) => {
        const row = await findAdapter(tx, id);
        if (!row) throw modelSettingsErrors.model_adapter_not_found(id);
        const models = (await usersOf(tx))(id);
        if (models.length > 0) throw modelSettingsErrors.model_adapter_in_use(models.join(', '));
        await deleteAdapter(tx, id);
        await record(tx, caller, 'delete', row);
        return row.sha256;
      });
      await forget(sha256);
      return { id, deleted: true };
    },
    /** Within a change of models: deletes one that no model uses any more, and returns its content for `forget`. */
    async drop(tx: Tx, id: string): Promise<string | undefined> {
      const row = await findAdapter(tx, id);
      if (!row || (await usersOf(tx))(id).length > 0) return undefined;
      await deleteAdapter(tx, id);
      return row.sha256;
    },
    forget,
    contents: async (): Promise<string[]> => (await listAdapters(db)).map(({ sha256 }) => sha256),
    /** Deletes what no model came to use within a day, and content without a row. */
    async prune(): Promise<void> {
      const before = isoMicros(() => now() - DAY_MS);
      await database.transaction(async (tx) => {
        const users = await usersOf(tx);
        for (const { id, created_at } of await listAdapters(tx))
          if (created_at < before && users(id).length === 0) await deleteAdapter(tx, id);
      });
      await blobs.sweep({ untouchedSince: new Date(now() - HOUR_MS) });
      await blobs.collect({ isReferenced, untouchedSince: new Date(now() - HOUR_MS) });
    },
  };
}

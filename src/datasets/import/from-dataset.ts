import type { Database } from '../../kit/db/index.ts';
import type { ImportRequests } from '../schema.ts';
import { listRecordsById } from '../store/records.ts';
import { progressIn, type Source } from './source.ts';

const RECORDS_AT_ONCE = 16;

/** Copies of records of any dataset of the workspace. */
export function fromDataset({ db }: Database, { dataset_record_ids: ids }: ImportRequests['dataset']): Source {
  return {
    async *items({ workspace_id }, from) {
      for (let at = from; at < ids.length; at += RECORDS_AT_ONCE) {
        const wanted = ids.slice(at, at + RECORDS_AT_ONCE);
        const found = new Map(
          (await listRecordsById(db, workspace_id, [...new Set(wanted)])).map((row) => [row.id, row]),
        );
        for (const id of wanted) {
          const row = found.get(id);
          yield row
            ? { payload: JSON.parse(row.payload), properties: JSON.parse(row.properties), source: row.source }
            : { skipped: `There is no record '${id}'.` };
        }
      }
    },
    progress: progressIn(ids.length),
  };
}

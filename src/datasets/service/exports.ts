import type { AuditActor } from '../../audit/index.ts';
import { isSigned, signDownload } from '../../files/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import { datasetErrors } from '../errors.ts';
import type { DatasetPorts } from '../ports.ts';
import { recordChange, whoIs } from '../record-change.ts';
import type { SignedQuery } from '../schema.ts';
import { findDatasetById } from '../store/datasets.ts';
import { datasetFinder } from './datasets.ts';
import { readAll } from './records.ts';

const LINK_SECONDS = 30 * 60;

/** Nothing more is known of the user of a download link. */
const LINK_HOLDER: AuditActor = { type: 'OTHER', metadata: { name: 'holder of a signed address' } };

export type ExportsPart = {
  /** An address that needs no key. `origin` is used when the server has no public URL. */
  link(scope: Scope, idOrSlug: string, origin: string): Promise<string>;
  open(id: string, query: SignedQuery): Promise<{ filename: string; content: AsyncIterable<Uint8Array> }>;
};

export function createExportsPart(ports: DatasetPorts): ExportsPart {
  const { database, audit, now, publicUrl, organizationOf } = ports;
  const find = datasetFinder(ports);

  async function* lines(dataset: { id: string; workspace_id: string }): AsyncGenerator<Uint8Array> {
    for await (const group of readAll(database, dataset))
      yield Buffer.from(
        group
          .map(({ id, payload, properties, source, created_at }) =>
            JSON.stringify({ id, payload, properties, source, created_at }),
          )
          .join('\n')
          .concat('\n'),
      );
  }

  return {
    async link(scope, idOrSlug, origin) {
      const row = await find(scope, idOrSlug);
      await database.transaction((tx) => recordChange(audit, tx, whoIs(scope), 'dataset.export', row.id));
      const { expires, signature } = signDownload(row.url_secret, row.id, Math.floor(now() / 1000) + LINK_SECONDS);
      const path = `/v1/observability/datasets/${row.id}/exports/download`;
      return `${publicUrl ?? origin}${path}?expires=${expires}&signature=${signature}`;
    },
    async open(id, query) {
      const row = await findDatasetById(database.db, id);
      // One error for every case, so that it does not reveal which datasets exist.
      if (!isSigned(row?.url_secret, id, query, now()) || !row) throw datasetErrors.dataset_link_invalid();
      const { workspace_id } = row;
      const organization_id = await organizationOf(workspace_id);
      if (organization_id) {
        const who = { organization_id, workspace_id, actor: LINK_HOLDER };
        await database.transaction((tx) => recordChange(audit, tx, who, 'dataset.export', row.id));
      }
      return { filename: `${row.slug}.jsonl`, content: lines(row) };
    },
  };
}

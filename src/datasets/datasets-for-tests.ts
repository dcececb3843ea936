import { expect, vi } from 'vitest';
import { call } from '../../test/support/call.ts';
import type { TestServer } from '../../test/support/server.ts';
import type { Dataset, DatasetImportTask, DatasetRecord } from './schema.ts';

export const DATASETS = '/v1/observability/datasets';
type Who = { key?: string | undefined };
type Page = { results: DatasetRecord[]; count: number; next: string | null; previous: string | null };

export async function makeDataset(server: TestServer, name = 'Questions', { key }: Who = {}): Promise<Dataset> {
  const answer = await call(server, DATASETS, { key, body: { name, description: 'To test with' } });
  expect(answer.status, answer.text).toBe(201);
  return answer.body as Dataset;
}

export async function addRecord(
  server: TestServer,
  { id }: Pick<Dataset, 'id'>,
  payload: object,
  properties?: object,
): Promise<DatasetRecord> {
  const answer = await call(server, `${DATASETS}/${id}/records`, { body: { payload, properties } });
  expect(answer.status, answer.text).toBe(201);
  return answer.body as DatasetRecord;
}

export async function recordsOf(server: TestServer, { id }: Pick<Dataset, 'id'>, query = ''): Promise<Page> {
  const answer = await call(server, `${DATASETS}/${id}/records${query}`);
  expect(answer.status, answer.text).toBe(200);
  return (answer.body as { records: Page }).records;
}

/** Starts an import and waits for its end. */
export async function importInto(
  server: TestServer,
  { id }: Pick<Dataset, 'id'>,
  source: string,
  body: object,
): Promise<DatasetImportTask> {
  const started = await call(server, `${DATASETS}/${id}/imports/from-${source}`, { body });
  expect(started.status, started.text).toBe(202);
  return whenEnded(server, started.body as DatasetImportTask);
}

export function whenEnded(server: TestServer, { dataset_id, id }: Pick<DatasetImportTask, 'dataset_id' | 'id'>) {
  return vi.waitFor(
    async () => {
      const task = (await call(server, `${DATASETS}/${dataset_id}/tasks/${id}`)).body as DatasetImportTask;
      expect(task.status).not.toBe('RUNNING');
      return task;
    },
    { timeout: 30_000, interval: 50 },
  );
}

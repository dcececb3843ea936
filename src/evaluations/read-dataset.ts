import type { DatasetService } from '../datasets/index.ts';
import type { DatasetReader } from './ports.ts';

export function createDatasetReader({
  datasets,
  records,
}: Pick<DatasetService, 'datasets' | 'records'>): DatasetReader {
  return {
    async find(scope, idOrSlug) {
      const { id } = await datasets.get(scope, idOrSlug);
      return { id, records: await records.count(scope, id) };
    },
    async read(scope, id, after) {
      for await (const group of records.read(scope, id, after)) return group;
      return [];
    },
  };
}

import { createImportRunner } from '../import/import-runner.ts';
import type { DatasetPorts } from '../ports.ts';
import { createDatasetsPart, type DatasetsPart } from './datasets.ts';
import { createExportsPart, type ExportsPart } from './exports.ts';
import { createImportsPart, type ImportsPart } from './imports.ts';
import { createRecordsPart, type RecordsPart } from './records.ts';

export type DatasetService = {
  datasets: DatasetsPart;
  records: RecordsPart;
  imports: ImportsPart;
  exports: ExportsPart;
  start(): void;
  stop(limitMs: number): Promise<void>;
};

export function createDatasetService(ports: DatasetPorts): DatasetService {
  const runner = createImportRunner(ports);
  return {
    datasets: createDatasetsPart(ports),
    records: createRecordsPart(ports),
    imports: createImportsPart(ports),
    exports: createExportsPart(ports),
    start: () => runner.start(),
    stop: (limitMs) => runner.stop(limitMs),
  };
}

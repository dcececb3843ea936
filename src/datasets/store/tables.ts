import type { DatasetRecordSource, ImportKind, TaskStatus } from '../schema.ts';

export type DatasetRow = {
  id: string;
  workspace_id: string;
  owner_id: string;
  name: string;
  slug: string;
  /** For searches: name and description in lower case by Unicode's rules, which neither database implements fully. */
  folded: string;
  description: string;
  /** Signs the download links of this dataset. */
  url_secret: string;
  record_count: number;
  /** Grows with each record; records are listed by it. */
  next_position: number;
  created_at: string;
  updated_at: string;
};

export type RecordRow = {
  id: string;
  workspace_id: string;
  dataset_id: string;
  position: number;
  /** JSON as text: exactly what was sent, on both databases. */
  payload: string;
  properties: string;
  source: DatasetRecordSource;
  created_at: string;
  updated_at: string;
};

export type ImportRow = {
  id: string;
  workspace_id: string;
  dataset_id: string;
  creator_id: string;
  kind: ImportKind;
  /** JSON; empty once the import has ended. */
  request: string;
  status: TaskStatus;
  progress: number;
  message: string | null;
  /** How many of what was asked for are done; where an interrupted import continues. */
  taken_count: number;
  imported_count: number;
  skipped_count: number;
  created_at: string;
  updated_at: string;
};

declare module '../../kit/db/tables.ts' {
  interface Tables {
    datasets: DatasetRow;
    dataset_records: RecordRow;
    dataset_imports: ImportRow;
  }
}

import type { Migration } from '../src/kit/db/index.ts';

/** Datasets of records to evaluate with, the imports that fill them, and judges. */
export const datasets: Migration = {
  name: '0042-datasets',
  oldestProgram: '0.1.0',
  up: async ({ text, json, bigint }) => [
    `create table judges (
      id ${text} primary key,
      workspace_id ${text} not null,
      owner_id ${text} not null,
      name ${text} not null,
      folded ${text} not null,
      description ${text} not null,
      model_name ${text} not null,
      output_type ${text} not null,
      output ${json} not null,
      instructions ${text} not null,
      tools ${json} not null,
      created_at ${text} not null,
      updated_at ${text} not null
    )`,
    'create unique index judges_by_name on judges (workspace_id, name)',
    `create table datasets (
      id ${text} primary key,
      workspace_id ${text} not null,
      owner_id ${text} not null,
      name ${text} not null,
      slug ${text} not null,
      folded ${text} not null,
      description ${text} not null,
      url_secret ${text} not null,
      record_count ${bigint} not null,
      next_position ${bigint} not null,
      created_at ${text} not null,
      updated_at ${text} not null
    )`,
    'create unique index datasets_by_slug on datasets (workspace_id, slug)',
    `create table dataset_records (
      id ${text} primary key,
      workspace_id ${text} not null,
      dataset_id ${text} not null,
      position ${bigint} not null,
      payload ${text} not null,
      properties ${text} not null,
      source ${text} not null,
      created_at ${text} not null,
      updated_at ${text} not null
    )`,
    'create unique index dataset_records_by_position on dataset_records (dataset_id, position)',
    'create index dataset_records_by_workspace on dataset_records (workspace_id)',
    `create table dataset_imports (
      id ${text} primary key,
      workspace_id ${text} not null,
      dataset_id ${text} not null,
      creator_id ${text} not null,
      kind ${text} not null,
      request ${text} not null,
      status ${text} not null,
      progress ${bigint} not null,
      message ${text},
      taken_count ${bigint} not null,
      imported_count ${bigint} not null,
      skipped_count ${bigint} not null,
      created_at ${text} not null,
      updated_at ${text} not null
    )`,
    'create index dataset_imports_by_dataset on dataset_imports (dataset_id, created_at)',
  ],
};

import type { Migration } from '../src/kit/db/index.ts';

/**
 * Models that an operator added while the server ran, and which models and tools a key may use. The settings are text: a broken row
 * harms no other.
 */
export const storedModels: Migration = {
  name: '0064-stored-models',
  oldestProgram: '0.1.0',
  up: ({ text }) => [
    `create table stored_models (
      id ${text} primary key,
      settings ${text} not null,
      sealed_keys ${text},
      created_at ${text} not null,
      updated_at ${text} not null
    )`,
    `alter table api_keys add column allowed_models ${text}`,
    `alter table api_keys add column allowed_tools ${text}`,
  ],
};

import type { Migration } from '../src/kit/db/index.ts';

/** LoRA adapters that an operator uploaded; their content is a blob. */
export const modelAdapters: Migration = {
  name: '0070-model-adapters',
  oldestProgram: '0.1.0',
  up: ({ text, bigint }) => [
    `create table model_adapters (
      id ${text} primary key,
      filename ${text} not null,
      sha256 ${text} not null,
      bytes ${bigint} not null,
      created_at ${text} not null
    )`,
  ],
};

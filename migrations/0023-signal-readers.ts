import type { Migration } from '../src/kit/db/index.ts';

export const signalReaders: Migration = {
  name: '0023-signal-readers',
  oldestProgram: '0.1.0',
  up: ({ text, bigint }) => [
    // How far each process has read each signal. A change is acknowledged when all connected processes have read it.
    `create table signal_readers (
      reader ${text} not null,
      name ${text} not null,
      version ${bigint} not null,
      primary key (reader, name)
    )`,
  ],
};

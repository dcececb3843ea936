import type { ReportBody } from '../protocol.ts';

/** One-way calls from the isolate to the worker; skipped on replay. */
export type OurSinks = {
  tramontane: {
    report(key: string, body: ReportBody): void;
    log(runId: string, level: 'debug' | 'info' | 'warn' | 'error', message: string, attributes?: object): void;
  };
};

/** The first argument of each activity: the run id of the API. */
export type StepMeta = { run_id: string };

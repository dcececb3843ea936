import type { ReportBody } from '../protocol.ts';

/** How code in the isolate reaches the worker around it: nothing comes back, and nothing is sent on replay. */
export type OurSinks = {
  tramontane: {
    report(key: string, body: ReportBody): void;
    log(runId: string, level: 'debug' | 'info' | 'warn' | 'error', message: string, attributes?: object): void;
  };
};

/** What each activity is given before the step's own input: the run's id as the API shows it. */
export type StepMeta = { run_id: string };

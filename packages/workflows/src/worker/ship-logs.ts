import { randomUUID } from 'node:crypto';
import type { Log } from '../definitions.ts';
import type { WorkerLogRecord, WorkerLogsRequest } from '../protocol.ts';
import { type Api, Refused } from './api.ts';

type About = Pick<WorkerLogRecord, 'execution_id' | 'run_id' | 'workflow_name' | 'activity_id'>;

const SEVERITY = { debug: 'DEBUG', info: 'INFO', warn: 'WARN', error: 'ERROR' } as const;
const FLUSH_MS = 500;
const BATCH_MAX = 500;
/** If the server is unreachable for long, the oldest records are dropped. */
const KEPT_MAX = 10_000;
const BODY_CHARACTERS_MAX = 16_000;

export type LogShipper = {
  /** Logs locally, and sends the record to the server. */
  about(about: About): Log;
  flush(): Promise<void>;
};

/** Sends logs of workflow code and steps in batches; failed batches are resent with the same ids. */
export function createLogShipper(given: {
  api: Api;
  identity: Pick<WorkerLogsRequest, 'deployment_name' | 'worker_name'>;
  local: Log;
  now: () => number;
}): LogShipper {
  const { api, identity, local, now } = given;
  const kept: WorkerLogRecord[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;

  function add(record: WorkerLogRecord): void {
    if (kept.length >= KEPT_MAX) kept.shift();
    kept.push(record);
    plan();
  }

  function plan(): void {
    if (timer || sending || kept.length === 0) return;
    timer = setTimeout(() => void flush(), FLUSH_MS);
    timer.unref();
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    sending ??= send().finally(() => {
      sending = undefined;
      plan();
    });
    return sending;
  }

  async function send(): Promise<void> {
    while (kept.length > 0) {
      const records = kept.slice(0, BATCH_MAX);
      const request: WorkerLogsRequest = { ...identity, records };
      try {
        await api.post('/v1/workflows/workers/logs', JSON.stringify(request));
      } catch (error) {
        if (!(error instanceof Refused)) return;
        local.warn(`Log lines were refused. ${error.message}`);
      }
      kept.splice(0, records.length);
    }
  }

  return {
    about(about) {
      const logAt = (level: keyof typeof SEVERITY) => (message: string, attributes?: Record<string, unknown>) => {
        local[level](message, attributes);
        const words = Object.entries(attributes ?? {}).map(([key, value]) => [key, asText(value)]);
        add({
          id: randomUUID(),
          time_ms: now(),
          severity: SEVERITY[level],
          body: message.slice(0, BODY_CHARACTERS_MAX),
          ...about,
          ...(words.length > 0 ? { attributes: Object.fromEntries(words) } : {}),
        });
      };
      return { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') };
    },
    flush,
  };
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}

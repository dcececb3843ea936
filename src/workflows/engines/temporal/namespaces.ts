import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import { systemClock } from '../../../kit/base/clock.ts';
import { CODES, hasCode } from './grpc.ts';
import { namespaceOf } from './namespace-name.ts';

const { INDEXED_VALUE_TYPE_KEYWORD } = proto.temporal.api.enums.v1.IndexedValueType;

/** Official workers set this attribute; without it the cluster rejects their tasks. */
const TRACE_ATTRIBUTE = 'OtelTraceId';

/** Retention of closed histories in Temporal; the mirrored executions outlive them. */
const RETENTION_MS = 30 * 24 * 60 * 60 * 1000;

const READY_MS_MAX = 30_000;
const LOOK_MS = 100;

export type Namespaces = {
  nameOf(workspaceId: string): string;
  /** Creates the namespace and its search attribute if needed, and returns its name. */
  ensureNamespace(workspaceId: string): Promise<string>;
};

/** Creates one Temporal namespace per workspace, on first use. */
export function createNamespaces(connection: Connection, prefix: string): Namespaces {
  const { workflowService, operatorService } = connection;
  /** Existing or pending namespaces; a failed one is removed, so the next call retries. */
  const made = new Map<string, Promise<string>>();
  const nameOf = (workspaceId: string) => namespaceOf(prefix, workspaceId);

  async function make(namespace: string): Promise<string> {
    const workflowExecutionRetentionPeriod = msToTs(RETENTION_MS);
    await workflowService
      .registerNamespace({ namespace, workflowExecutionRetentionPeriod })
      .catch(unless(CODES.alreadyExists));
    const until = systemClock() + READY_MS_MAX;
    // A new namespace reaches the hosts of a cluster within seconds; until then some report it as missing.
    for (;;) {
      try {
        await addTraceAttribute(namespace);
        await workflowService.countWorkflowExecutions({ namespace, query: `${TRACE_ATTRIBUTE} = 'none'` });
        return namespace;
      } catch (error) {
        if (systemClock() > until || !hasCode(error, CODES.notFound, CODES.invalidArgument)) throw error;
        await pause(LOOK_MS);
      }
    }
  }

  async function addTraceAttribute(namespace: string): Promise<void> {
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    if (customAttributes && TRACE_ATTRIBUTE in customAttributes) return;
    const searchAttributes = { [TRACE_ATTRIBUTE]: INDEXED_VALUE_TYPE_KEYWORD };
    await operatorService.addSearchAttributes({ namespace, searchAttributes }).catch(unless(CODES.alreadyExists));
  }

  return {
    nameOf,
    ensureNamespace(workspaceId) {
      const namespace = nameOf(workspaceId);
      const known = made.get(namespace);
      if (known) return known;
      const making = make(namespace);
      made.set(namespace, making);
      making.catch(() => made.delete(namespace));
      return making;
    },
  };
}

function unless(code: number): (error: unknown) => void {
  return (error) => {
    if (!hasCode(error, code)) throw error;
  };
}

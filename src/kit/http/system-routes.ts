import { z } from 'zod';
import { type StorageProblem, storageProblemOf } from '../base/storage-failure.ts';
import { docsAsset, docsPage } from './docs-page.ts';
import { raw } from './raw-reply.ts';
import { requestErrors } from './request-errors.ts';
import { type AnyRoute, route } from './route.ts';

export type SystemPorts = {
  /** Resolves when the server is ready; rejects with the reason when it is not. */
  checkReady(): Promise<void>;
  metrics(): Promise<{ text: string; contentType: string }>;
  openApi(): unknown;
};

/** Probes, metrics and documentation, all without a key. None of them reveals a secret. */
export function systemRoutes({ checkReady, metrics, openApi }: SystemPorts): AnyRoute[] {
  const common = { method: 'GET', permission: 'public', hidden: true } as const;
  return [
    route({
      ...common,
      path: '/healthz',
      operationId: 'healthz',
      summary: 'The process is alive',
      response: z.object({ status: z.string() }),
      handler: () => ({ status: 'ok' }),
    }),
    route({
      ...common,
      path: '/readyz',
      operationId: 'readyz',
      summary: 'The server takes work: it is not stopping and its database answers',
      response: z.object({ status: z.string() }),
      handler: async () => {
        await checkReady().catch((cause: unknown) => {
          const problem = storageProblemOf(cause);
          if (problem) throw requestErrors.server_not_ready(notReady(problem), { cause });
          throw requestErrors.server_not_ready(
            'The server is not ready: it is stopping, or its database does not respond.',
            { cause },
          );
        });
        return { status: 'ready' };
      },
    }),
    route({
      ...common,
      path: '/metrics',
      operationId: 'metrics',
      summary: 'Prometheus metrics',
      handler: async () => {
        const { text, contentType } = await metrics();
        return raw(text, contentType);
      },
    }),
    route({
      ...common,
      path: '/openapi.json',
      operationId: 'openapi',
      summary: 'This API as an OpenAPI 3.1 document',
      handler: () => raw(JSON.stringify(openApi()), 'application/json; charset=utf-8'),
    }),
    route({ ...common, path: '/docs', operationId: 'docs', summary: 'The reference page', handler: () => docsPage() }),
    route({
      ...common,
      path: '/docs/:asset',
      operationId: 'docs_asset',
      summary: 'A file of the reference page',
      params: z.strictObject({ asset: z.string() }),
      handler: ({ params }) => docsAsset(params.asset),
    }),
  ];
}

/** Why nothing can be written, worded for the operator. */
const REASONS: Record<StorageProblem, string> = {
  full: 'its disk is full. Make room.',
  'read-only': 'its disk may not be written. Make it writable.',
  failing: 'its disk fails. Look at the disk and the log.',
  unreachable: 'its database does not answer. Look at the database and the log.',
  unknown: 'its disk or database failed in the middle of a write. Look at the log.',
};

function notReady(problem: StorageProblem): string {
  return `The server is not ready: ${REASONS[problem]} It goes on by itself when that is mended.`;
}

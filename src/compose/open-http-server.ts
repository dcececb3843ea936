import { errorStyles, openApiOf } from '../app.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../kit/base/log.ts';
import {
  type AccessWatch,
  type AnyRoute,
  type Authenticate,
  createHttpServer,
  type HttpObserver,
  type HttpServer,
  type Idempotency,
  type Metrics,
  systemRoutes,
} from '../kit/http/index.ts';

/** Serves the routes, together with the probes, the metrics and the API document. */
export function openHttpServer(options: {
  config: Config;
  /** Routes of the API, which the document describes. */
  apiRoutes: AnyRoute[];
  /** Routes that it does not describe. */
  pageRoutes: AnyRoute[];
  metrics: Metrics['dump'];
  /** Throws while the server cannot do its work. */
  checkReady: () => Promise<void>;
  authenticate: Authenticate;
  access: AccessWatch;
  idempotency: Idempotency;
  observers: HttpObserver[];
  checkResponses: boolean;
  log: Logger;
}): HttpServer {
  const { config, apiRoutes, pageRoutes, metrics, checkReady, ...passed } = options;
  const { server } = config.file;
  let document: unknown;
  const http = createHttpServer({
    ...passed,
    routes: [
      ...apiRoutes,
      ...pageRoutes,
      ...systemRoutes({
        metrics,
        // Built on the first request, so that a start does not pay for it.
        openApi: () => (document ??= openApiOf(apiRoutes)),
        checkReady: async () => {
          if (http.isDraining()) throw new Error('draining');
          await checkReady();
        },
      }),
    ],
    errorStyles,
    host: config.host,
    allowedHosts: [...config.allowedHosts, ...(config.publicUrl ? [new URL(config.publicUrl).hostname] : [])],
    trustedProxies: config.trustedProxies,
    bodyBytesMax: server.body_limit_mib * 1024 * 1024,
    heartbeatMs: server.heartbeat_seconds * 1000,
  });
  return http;
}

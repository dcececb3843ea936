export { callRoute, type InnerAnswer, type InnerCall } from './call-route.ts';
export { chooseEncoding, type Encoding } from './choose-encoding.ts';
export { type CurrentRequest, currentRequest } from './current-request.ts';
export { openDoor } from './door.ts';
export { type ErrorStyle, type ErrorStyles, type RenderedError, styleOf } from './error-bodies.ts';
export {
  defineErrors,
  type ErrorTable,
  missing,
  renderErrorRows,
  reviveError,
  type StoredError,
  type ThrowOptions,
} from './error-catalogue.ts';
export {
  ApiError,
  ValidationFailed,
  type ValidationItem,
} from './errors.ts';
export { explainValidation } from './explain-validation.ts';
export { createIdempotency, type Idempotency, reusedForAnotherRequest } from './idempotency.ts';
export { isCrossOrigin } from './is-cross-origin.ts';
export { DEFAULT_JSON_LIMITS, parseJson } from './json-body.ts';
export { limitedObject, limitedText, limitJson, limitUnion } from './limit-union.ts';
export { createMetrics, type Metrics, mergeMetrics, type ReadMetrics, type RenderedMetrics } from './metrics.ts';
export type { Upload } from './multipart.ts';
export {
  type NumberedPageQuery,
  numberedPage,
  numberedPageOf,
  numberedPageQuery,
  offsetOf,
} from './numbered-page.ts';
export { buildOpenApi } from './openapi.ts';
export { createPageTokens, type PageTokens } from './page-tokens.ts';
export { parseMessage } from './parse-message.ts';
export { parseStored } from './parse-stored.ts';
export {
  QUERY_PAIRS_MAX,
  queryBool,
  queryInt,
  queryInt32,
  queryJsonObject,
  queryList,
  queryNumber,
  queryRepeated,
} from './query-types.ts';
export { createQueueMetrics, type QueueMetrics, type QueueReport } from './queue-metrics.ts';
export { empty, type RawReply, raw } from './raw-reply.ts';
export { matchesTag, type RenderedReply, rendered, renderOnce, tagsOf } from './rendered-reply.ts';
export { requestErrors } from './request-errors.ts';
export { type AnyRoute, type RequestContext, route } from './route.ts';
export { type JsonLimits, scanJson } from './scan-json.ts';
export { schemaTooExpensive } from './schema-errors.ts';
export type {
  AccessWatch,
  Authenticate,
  BrowserRequest,
  Credentials,
  KeySurface,
  OpenWork,
  Scope,
  Surface,
} from './scope.ts';
export { createHttpServer, type HttpObserver, type HttpServer } from './server.ts';
export { type JsonSocket, type SocketReply, socket } from './socket-reply.ts';
export { SSE_HEADERS, type SseEvent, type SseReply, sse } from './sse.ts';
export { storageError } from './storage-errors.ts';
export { mapGroups, type StreamedJson, streamedList, streamedObject, streamedWithin } from './streamed-json.ts';
export { type SystemPorts, systemRoutes } from './system-routes.ts';
export { createTracing } from './trace-requests.ts';

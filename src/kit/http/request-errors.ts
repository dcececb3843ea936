import { defineErrors } from './error-catalogue.ts';

/** Errors of any request, whatever room it is for. */
export const requestErrors = defineErrors({
  unauthorized: {
    status: 401,
    when: 'No key was sent, or it is unknown, revoked, expired or of the wrong kind.',
    fix: 'Send a valid key: `Authorization: Bearer <key>`, or `x-api-key` for the administrative API.',
    message: 'Unauthorized',
    headers: { 'www-authenticate': 'Bearer' },
  },
  permission_denied: {
    status: 403,
    when: "The roles of the key's user do not include the permission that the operation needs.",
    fix: 'Ask an admin of the workspace for a role that has the permission.',
    message: (permission: string) => `This key may not do that: it lacks the permission '${permission}'.`,
  },
  access_lost: {
    status: 401,
    when: 'A key was revoked or expired, a session ended, a user left or a workspace was archived while a request, stream, job, run or schedule went on.',
    fix: 'Start it again with a valid key.',
    message: (reason: string) => `This ended because ${reason}.`,
  },
  permission_lost: {
    status: 403,
    when: 'The user lost the permission while a request, stream, job, run or schedule went on.',
    fix: 'Ask an admin of the workspace for a role that has the permission, then start it again.',
    message: (permission: string) => `This ended because its user no longer has the permission '${permission}'.`,
  },
  session_refused: {
    status: 403,
    when: 'A signed-in browser may not do this: the request came from another page, or the session is restricted.',
    fix: 'Use the console at the address of the server itself.',
  },
  host_not_allowed: {
    status: 403,
    when: 'The `Host` header names a host that this server does not answer for.',
    fix: 'Ask the operator to add the host to `TRAMONTANE_ALLOWED_HOSTS`.',
    message: 'This host name is not one of ours. Ask the operator to add it to TRAMONTANE_ALLOWED_HOSTS.',
  },
  origin_not_allowed: {
    status: 403,
    when: 'A web page of another origin called an address that only pages of this server may call.',
    fix: 'Open the page at the address of the server, or ask the operator to allow the host.',
  },
  route_not_found: { status: 404, when: 'No operation has this path.', fix: 'Look the path up in `/docs`.' },
  method_not_allowed: {
    status: 405,
    when: 'The path exists and takes other methods.',
    fix: 'Use one of the methods in the `Allow` header.',
  },
  malformed_request: {
    status: 400,
    when: 'The request line is not valid HTTP, or the path cannot be decoded.',
    fix: 'Encode the path and send the request again.',
    message: 'The address of the request is not valid.',
  },
  header_repeated: {
    status: 400,
    when: 'A header that has one value (`Host`, `Authorization`, `Content-Type`, …) was sent twice.',
    fix: 'Send it once.',
    message: (name: string) => `The header ${name} was sent twice. Send it once.`,
  },
  host_conflict: {
    status: 400,
    when: 'The request line has a whole address whose host is not that of the `Host` header.',
    fix: 'Send the same host in both, or only the path in the request line.',
    message: 'The host of the request line is not that of the Host header.',
  },
  upload_interrupted: {
    status: 400,
    when: 'The connection ended before the body was complete.',
    fix: 'Send the request again.',
  },
  body_too_large: {
    status: 413,
    when: 'The body, or a file in it, is larger than the operation takes.',
    fix: 'Send less, or ask the operator to raise the limit.',
  },
  unsupported_media_type: {
    status: 415,
    when: 'The body has another media type than the operation takes, or it is compressed.',
    fix: 'Send `application/json` (or `multipart/form-data` for an upload) without a `Content-Encoding`.',
  },
  streaming_not_supported: {
    status: 400,
    when: 'A request of a batch asks for a stream.',
    fix: 'Leave out `stream`.',
    message: 'A batch does not stream: leave out `stream`.',
  },
  page_token_invalid: {
    status: 400,
    when: 'The page token was changed, or belongs to another list, filter or order.',
    fix: 'Send the `nextPageToken` of the page before with the same filter and order, or start without one.',
    message:
      'This pageToken does not continue this list. Send the nextPageToken of the page before, with the same filter and order, or start without one.',
  },
  last_event_id_invalid: {
    status: 400,
    when: '`Last-Event-ID` is not the id of an event of this stream.',
    fix: 'Send the id of the last event received, or leave the header out.',
    message: 'Last-Event-ID must be the id of an event of this stream: a whole number, 0 or more.',
  },
  idempotency_key_invalid: {
    status: 400,
    when: 'The `Idempotency-Key` header is empty, too long or sent twice.',
    fix: 'Send one value, such as a UUID.',
    message: (charactersMax: number) => `Idempotency-Key must be one value of 1 to ${charactersMax} characters.`,
  },
  idempotency_key_in_use: {
    status: 409,
    when: 'The first request with this `Idempotency-Key` is still running, or its response was lost in a crash.',
    fix: 'Look for the object, then send the request with a new key if it is not there.',
    message:
      'A request with this Idempotency-Key is running, or its answer was lost in a crash. Look for the object before you send it under a new key.',
  },
  idempotency_key_reused: {
    status: 422,
    when: 'The `Idempotency-Key` was used for another request.',
    fix: 'Send a new key.',
  },
  multipart_invalid: {
    status: 422,
    when: 'The body is not valid `multipart/form-data`.',
    fix: 'Build the body with an HTTP library.',
  },
  json_invalid: {
    status: 422,
    when: 'The body is not JSON, repeats a key, or exceeds the limits on depth, keys or values.',
    fix: 'Correct the JSON at the position that `loc` names.',
  },
  upgrade_required: {
    status: 426,
    when: 'The path is a WebSocket, and the request does not ask for one.',
    fix: 'Connect with a WebSocket client, such as the `realtime` functions of the official SDKs.',
    message: 'This address is a WebSocket. Connect with a WebSocket client.',
    headers: { upgrade: 'websocket', connection: 'Upgrade' },
  },
  message_invalid: {
    status: 400,
    when: 'A message on a WebSocket is not JSON, has a mistake, or comes when it may not.',
    fix: 'Correct the message and connect again.',
    message: (problem: string) => `The message is not valid: ${problem}`,
  },
  socket_idle: {
    status: 408,
    when: 'Nothing was said on a WebSocket for five minutes, in either direction.',
    fix: 'Connect when there is something to say; send silence while nobody speaks.',
    message: 'Nothing was said on this WebSocket for five minutes.',
  },
  socket_closed: {
    status: 499,
    when: 'The client closed its WebSocket while the server had more to send.',
    fix: 'Connect again.',
    message: 'The WebSocket is closed.',
  },
  server_stopping: {
    status: 503,
    when: 'The server is shutting down.',
    fix: 'Send the request again after `Retry-After` seconds.',
    message: 'The server is stopping. Try again in a moment.',
    retryAfterSeconds: 1,
  },
  server_starting: {
    status: 503,
    when: 'The server is being prepared: its database is opened or upgraded.',
    fix: 'Send the request again after `Retry-After` seconds.',
    message: 'The server is starting. Try again in a moment.',
    retryAfterSeconds: 1,
  },
  server_not_ready: {
    status: 503,
    when: '`/readyz`: the server is stopping, or its storage does not respond.',
    fix: 'Wait, and check the database and the disk.',
    retryAfterSeconds: 1,
  },
  database_unavailable: {
    status: 503,
    when: 'The database does not respond.',
    fix: 'Send the request again after `Retry-After` seconds.',
    message: 'The database cannot be reached. Try again in a moment.',
    retryAfterSeconds: 1,
  },
  changed_meanwhile: {
    status: 503,
    when: 'Others changed or deleted what the request refers to at the same moment; nothing was done.',
    fix: 'Send the request again after `Retry-After` seconds.',
    message: 'Others changed or deleted what this refers to at the same moment, and nothing was done. Send it again.',
    retryAfterSeconds: 1,
  },
  storage_unavailable: {
    status: 503,
    when: 'The disk or the database of the server fails or is read-only.',
    fix: 'Try again after `Retry-After` seconds; the operator must look at the disk.',
    retryAfterSeconds: 5,
  },
  storage_full: {
    status: 507,
    when: 'The disk of the server is full; nothing was written.',
    fix: 'The operator must free space. Reading still works.',
    retryAfterSeconds: 5,
  },
  schema_too_expensive: {
    status: 422,
    when: 'A JSON schema, or checking a value by it, takes more work than a request may cause; `loc` names it.',
    fix: 'Simplify the schema: fewer nested `anyOf`, `$ref`, `unevaluated…` and long patterns. Or send a smaller value.',
  },
  internal_error: {
    status: 500,
    when: 'A mistake of the server.',
    fix: 'Report the request id to the operator.',
    message: 'Something went wrong on our side. Report the request id to the operator.',
  },
});

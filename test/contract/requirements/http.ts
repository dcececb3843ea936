import { requirementsOf } from './requirement.ts';

export const httpRequirements = requirementsOf('http', {
  'What the service does': {
    'HTTP-JSON': 'an answer with a body is application/json unless the endpoint says otherwise',
  },
  Endpoints: {
    'HTTP-SUCCESS-200': 'success is 200 unless the endpoint states another status',
    'HTTP-422-STATUS': 'a value that fails validation in path, query or body is answered with 422',
  },
  'Authentication: table': {
    'AUTH-BEARER': 'outside the administrative API the key travels as Authorization: Bearer',
    'AUTH-X-API-KEY': 'the administrative API takes the admin key in the x-api-key header',
  },
  'Errors: table, 400-class': {
    'HTTP-EXTRA-BODY': 'an unknown body property is refused and the message says extra inputs are not permitted',
    'HTTP-EXTRA-NESTED': 'an unknown property inside a nested object is refused too',
  },
  'Errors: rule 1': {
    'HTTP-EXTRA-QUERY': 'an unknown query parameter is refused, never silently ignored',
  },
  'Versioning: 1': {
    'HTTP-VERSION-PREFIX': 'API paths begin with /v1, and only the prompt and skill registries with /v2',
    'HTTP-OPENAPI-VERSION': 'the interface description carries info.version 1.0.0',
  },
  'decisions: Error bodies, 422': {
    'HTTP-422-SHAPE': 'a 422 body is {detail: [{type, loc, msg, input}]}, a list even for a single error',
    'HTTP-422-EVERY-FAMILY': 'inference, workflows and administration all answer 422 with that same list',
    'HTTP-422-WORKFLOWS-CODE': 'a 422 of the workflows family adds code WF_1001',
    'HTTP-422-MALFORMED-JSON': 'a body that is not JSON is 422 with type json_invalid',
    'HTTP-422-DUPLICATE-KEY': 'a key that occurs twice in one JSON object is 422',
  },
  'decisions: Error bodies, 401': {
    'HTTP-401-BODY': 'a 401 body is {"detail": "Unauthorized"} in every family but the tool server',
    'AUTH-MISSING': 'a request without a key is 401',
    'AUTH-UNKNOWN': 'a misspelled or unknown key is 401',
    'AUTH-REVOKED': 'a revoked key is 401 from the moment it is revoked',
    'AUTH-WRONG-KIND': 'a standard key on the administrative API, and an admin key elsewhere, is 401',
  },
  'decisions: Error bodies, inference family': {
    'HTTP-400-BODY': 'a 400 body is {object: error, message, type, param: null, code}',
    'HTTP-404-BODY': 'a 404 body has that shape with type not_found_error, also for an unknown path',
    'HTTP-405-BODY': 'a known path asked with another method is 405 with that shape',
    'HTTP-413-BODY': 'a body that is too large is 413 with that shape',
    'HTTP-415-BODY': 'a body of an unsupported media type is 415 with that shape',
    'HTTP-500-BODY': 'an unexpected failure is 500 with that shape and type server_error',
    'HTTP-503-BODY': 'a service that cannot serve is 503 with that shape and type server_error',
    'HTTP-ERROR-TYPE': 'the type of an error body is one of the listed words and no other',
  },
  'decisions: Error bodies, workflows': {
    'HTTP-WORKFLOWS-ERROR-BODY': 'a workflows error other than 422 is {detail, code: WF_…}',
    'HTTP-WORKFLOWS-5XX-TEXT': 'a workflows 5xx has the fixed detail text and tells nothing of the cause',
  },
  'decisions: Error bodies, admin': {
    'HTTP-ADMIN-ERROR-BODY': 'an administrative error other than 422 is {detail: text}',
  },
  'decisions: Error bodies, closing rule': {
    'HTTP-ERROR-NO-LEAK': 'an error body never holds a stack, SQL, a path, an upstream address or a key',
    'HTTP-ERROR-REQUEST-ID': 'every error carries the request id in a header',
  },
});

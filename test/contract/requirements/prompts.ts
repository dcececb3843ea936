import { requirementsOf } from './requirement.ts';

export const promptRequirements = requirementsOf('prompts', {
  'Resources: Prompt registry': {
    'PROMPTS-UPDATE-TITLE': 'an update sets the title, and null clears it',
    'PROMPTS-UPDATE-DESCRIPTION': 'an update sets the description, and null clears it',
    'PROMPTS-UPDATE-SHARING': 'an update changes the sharing scope; null is accepted',
    'PROMPTS-UPDATE-OMITTED': 'what an update does not name stays as it was',
    'PROMPTS-VERSION-DEFINITION': 'a new version without a definition is refused',
    'PROMPTS-VERSION-NOTES': 'a new version keeps its notes; null and absence are accepted',
    'PROMPTS-VERSION-ALIASES': 'aliases given with a new version point to it afterwards',
    'PROMPTS-VERSION-UPDATE-NOTES': 'the notes of a version can be changed and cleared',
    'PROMPTS-VERSION-UPDATE-ALIASES': 'an alias list sets the aliases of a version; absence leaves them',
    'PROMPTS-UPDATE-CLOSED': 'an update with an unlisted property is refused',
    'PROMPTS-VERSION-CLOSED': 'a new version with an unlisted property is refused',
    'PROMPTS-VERSION-UPDATE-CLOSED': 'a version update with an unlisted property is refused',
    'PROMPTS-LIST-DATA': 'a list answer always has data, an empty array when nothing matches',
    'PROMPTS-LIST-LAST-PAGE': 'nextPageToken is there while another page follows and leads nowhere on the last',
  },
  'Endpoints: Prompt and skill registries, GET /v2/{R}': {
    'PROMPTS-LIST': 'the list shows the prompts that the caller may see',
    'PROMPTS-LIST-PAGE-SIZE': 'pageSize, an int32, bounds a page',
    'PROMPTS-LIST-CURSOR': 'nextPageToken passed as pageToken continues the list without gap or repetition',
    'PROMPTS-LIST-FIELDS': 'fields narrows each listed object to the named fields',
  },
  'Endpoints: Prompt and skill registries, POST /v2/{R}': {
    'PROMPTS-CREATE': 'creating answers 200 with the new prompt at version 1',
    'PROMPTS-CREATE-BODY': 'creating without a body is refused',
  },
  'Endpoints: Prompt and skill registries, GET /v2/{R}/{id}': {
    'PROMPTS-GET': 'reading by id answers the prompt at its newest version',
    'PROMPTS-GET-VERSION': 'the version parameter, an int32, reads that version',
    'PROMPTS-GET-ALIAS': 'the alias parameter reads the version that the alias points to',
    'PROMPTS-GET-FIELDS': 'fields narrows the answer to the named fields',
  },
  'Endpoints: Prompt and skill registries, DELETE /v2/{R}/{id}': {
    'PROMPTS-DELETE': 'deleting answers the delete response, and the prompt is gone with its versions',
  },
  'Endpoints: Prompt and skill registries, PATCH /v2/{R}/{id}': {
    'PROMPTS-UPDATE': 'updating answers the changed prompt and makes no version',
    'PROMPTS-UPDATE-BODY': 'updating without a body is refused',
  },
  'Endpoints: Prompt and skill registries, GET /v2/{R}/{id}/versions': {
    'PROMPTS-VERSIONS-LIST': 'the version list holds every version of the prompt',
  },
  'Endpoints: Prompt and skill registries, POST /v2/{R}/{id}/versions': {
    'PROMPTS-VERSIONS-CREATE': 'a new version answers with its number, one above the newest',
    'PROMPTS-VERSIONS-CREATE-BODY': 'a new version without a body is refused',
  },
  'Endpoints: Prompt and skill registries, GET /v2/{R}/{id}/versions/{version}': {
    'PROMPTS-VERSIONS-GET': 'a version is read by its number',
    'PROMPTS-VERSIONS-GET-FIELDS': 'fields narrows the read version to the named fields',
  },
  'Endpoints: Prompt and skill registries, PATCH /v2/{R}/{id}/versions/{version}': {
    'PROMPTS-VERSIONS-UPDATE': 'changing a version answers the prompt at that version, definition untouched',
    'PROMPTS-VERSIONS-UPDATE-BODY': 'changing a version without a body is refused',
  },
  'Versioning: 3': {
    'PROMPTS-VERSION-INT32': 'a version number that is not an int32 is refused in path and query',
    'PROMPTS-ALIAS-ONE-VERSION': 'an alias points to one version; giving it to another version moves it',
  },
  'decisions: Registries': {
    'PROMPTS-NAME-RULE': 'a name is 1 to 128 of the allowed characters, with a letter or digit at both ends',
    'PROMPTS-NAME-NOT-UUID': 'a name shaped like a UUID is refused',
    'PROMPTS-ALIAS-RULE': 'an alias is 1 to 64 of the allowed characters and anything else is refused',
    'PROMPTS-ALIAS-LATEST': 'the alias latest is reserved: nobody sets it, and it reads the newest version',
    'PROMPTS-NAME-UNIQUE-SHARED': 'two shared prompts of one workspace never have one name',
    'PROMPTS-NAME-UNIQUE-PRIVATE': 'one owner has at most one private prompt of a name; two owners may each have one',
    'PROMPTS-NAME-OWN-FIRST': 'a look-up by name prefers the own prompt to a shared one',
    'PROMPTS-SHARE-TAKEN': 'sharing into a taken name is 409',
    'PROMPTS-PRIVATE-DEFAULT': 'a prompt made without a sharing scope is private to its owner',
    'PROMPTS-LIST-ALIAS': 'a list with alias shows only prompts that have it, each at that version',
    'PROMPTS-PAGE-SIZE-DEFAULT': 'without pageSize a page holds 20',
    'PROMPTS-PAGE-SIZE-CAP': 'a pageSize over 100 is read as 100',
    'PROMPTS-PAGE-SIZE-MINIMUM': 'a pageSize under 1 is refused',
    'PROMPTS-DEDUPLICATE': 'an identical definition answers the existing number and deduplicated true',
    'PROMPTS-DEDUPLICATE-APPLIES': 'notes and aliases given with an identical definition are still applied',
  },
  'decisions: Error bodies, inference family': {
    'PROMPTS-409-BODY': 'a 409 body is {object: error, message, type: conflict_error, param: null, code}',
  },
  'decisions: Numbers and shapes': {
    'PROMPTS-OPENAPI-BETA': 'the interface description tags every prompt operation beta',
  },
  'behaviour 1: Prompt and skill registries': {
    'PROMPTS-SORT': 'a list is sorted by either spelling; times newest first, texts from A to Z',
    'PROMPTS-SELECTOR-ONE': 'version and alias together are 400',
    'PROMPTS-FIELDS-UNKNOWN': 'an unknown field is refused with a list of the known ones',
    'PROMPTS-TOKEN-OPAQUE': 'an altered page token, and one of another list, is 400',
  },
  'ours: beyond the specification': {
    'PROMPTS-NUMBERS-GAPLESS': 'parallel creates count on without a gap',
    'PROMPTS-ALIAS-NOT-STALE': 'no reader sees the old place of an alias after its move was acknowledged',
    'PROMPTS-ALIAS-HISTORY': 'how aliases moved is kept and can be read',
    'PROMPTS-VARIABLES-TOLD': 'undeclared and unused variables are told in headers and not refused',
    'PROMPTS-ETAG': 'every read has an ETag, and If-None-Match with it is 304',
    'PROMPTS-IF-MATCH': 'If-Match on a new version is 412 when somebody else was first',
    'PROMPTS-AUDIT': 'every change is in the audit log',
    'PROMPTS-MODEL': 'a prompt is a model: its text as system message, its model answers, headers name the version',
    'PROMPTS-MODEL-VARIABLES': 'variables come from metadata.variables; missing ones are 422 and named',
  },
});

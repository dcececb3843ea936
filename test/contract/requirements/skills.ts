import { requirementsOf } from './requirement.ts';

export const skillRequirements = requirementsOf('skills', {
  'Resources: Skill registry': {
    'SKILLS-UPDATE-SHARING': 'an update changes the sharing scope, the only property it may have; null is accepted',
    'SKILLS-VERSION-DEFINITION': 'a new version without a definition is refused',
    'SKILLS-VERSION-NOTES': 'a new version keeps its notes; null and absence are accepted',
    'SKILLS-VERSION-ALIASES': 'aliases given with a new version point to it afterwards',
    'SKILLS-VERSION-UPDATE-NOTES': 'the notes of a version can be changed and cleared',
    'SKILLS-VERSION-UPDATE-ALIASES': 'an alias list sets the aliases of a version; absence leaves them',
    'SKILLS-UPDATE-CLOSED': 'an update with an unlisted property is refused',
    'SKILLS-VERSION-CLOSED': 'a new version with an unlisted property is refused',
    'SKILLS-VERSION-UPDATE-CLOSED': 'a version update with an unlisted property is refused',
    'SKILLS-LIST-DATA': 'a list answer always has data, an empty array when nothing matches',
    'SKILLS-LIST-LAST-PAGE': 'nextPageToken is there while another page follows and leads nowhere on the last',
  },
  'Endpoints: Prompt and skill registries, GET /v2/{R}': {
    'SKILLS-LIST': 'the list shows the skills that the caller may see',
    'SKILLS-LIST-PAGE-SIZE': 'pageSize, an int32, bounds a page',
    'SKILLS-LIST-CURSOR': 'nextPageToken passed as pageToken continues the list without gap or repetition',
    'SKILLS-LIST-FIELDS': 'fields narrows each listed object to the named fields',
  },
  'Endpoints: Prompt and skill registries, POST /v2/{R}': {
    'SKILLS-CREATE': 'creating answers 200 with the new skill at version 1',
    'SKILLS-CREATE-BODY': 'creating without a body is refused',
  },
  'Endpoints: Prompt and skill registries, GET /v2/{R}/{id}': {
    'SKILLS-GET': 'reading by id answers the skill at its newest version',
    'SKILLS-GET-VERSION': 'the version parameter, an int32, reads that version',
    'SKILLS-GET-ALIAS': 'the alias parameter reads the version that the alias points to',
    'SKILLS-GET-FIELDS': 'fields narrows the answer to the named fields',
  },
  'Endpoints: Prompt and skill registries, DELETE /v2/{R}/{id}': {
    'SKILLS-DELETE': 'deleting answers the delete response, and the skill is gone with its versions',
  },
  'Endpoints: Prompt and skill registries, PATCH /v2/{R}/{id}': {
    'SKILLS-UPDATE': 'updating answers the changed skill and makes no version',
    'SKILLS-UPDATE-BODY': 'updating without a body is refused',
  },
  'Endpoints: Prompt and skill registries, GET /v2/{R}/{id}/versions': {
    'SKILLS-VERSIONS-LIST': 'the version list holds every version of the skill',
  },
  'Endpoints: Prompt and skill registries, POST /v2/{R}/{id}/versions': {
    'SKILLS-VERSIONS-CREATE': 'a new version answers with its number, one above the newest',
    'SKILLS-VERSIONS-CREATE-BODY': 'a new version without a body is refused',
  },
  'Endpoints: Prompt and skill registries, GET /v2/{R}/{id}/versions/{version}': {
    'SKILLS-VERSIONS-GET': 'a version is read by its number',
    'SKILLS-VERSIONS-GET-FIELDS': 'fields narrows the read version to the named fields',
  },
  'Endpoints: Prompt and skill registries, PATCH /v2/{R}/{id}/versions/{version}': {
    'SKILLS-VERSIONS-UPDATE': 'changing a version answers the skill at that version, definition untouched',
    'SKILLS-VERSIONS-UPDATE-BODY': 'changing a version without a body is refused',
  },
  'Versioning: 3': {
    'SKILLS-VERSION-INT32': 'a version number that is not an int32 is refused in path and query',
    'SKILLS-ALIAS-ONE-VERSION': 'an alias points to one version; giving it to another version moves it',
  },
  'decisions: Registries': {
    'SKILLS-NAME-RULE': 'a name is 1 to 64 lower-case letters and digits in words joined by single hyphens',
    'SKILLS-ALIAS-RULE': 'an alias is 1 to 64 of the allowed characters and anything else is refused',
    'SKILLS-ALIAS-LATEST': 'the alias latest is reserved: nobody sets it, and it reads the newest version',
    'SKILLS-NAME-UNIQUE-SHARED': 'two shared skills of one workspace never have one name',
    'SKILLS-NAME-UNIQUE-PRIVATE': 'one owner has at most one private skill of a name; two owners may each have one',
    'SKILLS-NAME-OWN-FIRST': 'a look-up by name prefers the own skill to a shared one',
    'SKILLS-SHARE-TAKEN': 'sharing into a taken name is 409',
    'SKILLS-PRIVATE-DEFAULT': 'a skill made without a sharing scope is private to its owner',
    'SKILLS-LIST-ALIAS': 'a list with alias shows only skills that have it, each at that version',
    'SKILLS-PAGE-SIZE-DEFAULT': 'without pageSize a page holds 20',
    'SKILLS-PAGE-SIZE-CAP': 'a pageSize over 100 is read as 100',
    'SKILLS-PAGE-SIZE-MINIMUM': 'a pageSize under 1 is refused',
    'SKILLS-DEDUPLICATE': 'an identical definition answers the existing number and deduplicated true',
    'SKILLS-DEDUPLICATE-APPLIES': 'notes and aliases given with an identical definition are still applied',
  },
  'decisions: Error bodies, inference family': {
    'SKILLS-409-BODY': 'a 409 body is {object: error, message, type: conflict_error, param: null, code}',
  },
  'decisions: Numbers and shapes': {
    'SKILLS-OPENAPI-BETA': 'the interface description tags every skill operation beta',
  },
});

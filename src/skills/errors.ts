import { defineErrors } from '../kit/http/index.ts';
import { objectErrors } from '../registry/index.ts';

const object = objectErrors('skill');

export const skillErrors = defineErrors({
  skill_not_found: object.not_found,
  skill_version_not_found: object.version_not_found,
  skill_changed: object.changed,
  skill_name_taken: object.name_taken,
  skill_owner_only: object.owner_only,
  skill_read_only: object.read_only,
  skill_file_not_found: {
    status: 404,
    when: 'The version of the skill has no file with this path.',
    fix: 'List the files of the version.',
    message: (path: string, skill: string) =>
      `No file '${path} of the skill ${skill}' was found. Check the id, and that the key belongs to its workspace.`,
  },
  skill_intake_refused: {
    status: 422,
    when: 'The intake scan found something in a new version, and the policy of the workspace is `refuse`.',
    fix: 'Remove the finding, or ask an administrator to set the policy to `report`.',
  },
});

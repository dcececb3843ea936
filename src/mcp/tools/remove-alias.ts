import { ApiError, type Scope } from '../../kit/http/index.ts';
import type { SkillService } from '../../skills/index.ts';
import { readRendered } from '../read-rendered.ts';

const ATTEMPTS_MAX = 5;

type State = { id: string; version: number; aliases: string[] };

/**
 * The registry sets all aliases of a version at once. They are read first and written on the condition that nothing
 * has changed since, so that an alias which somebody else moves at the same moment is not lost.
 */
export async function removeAlias(
  skills: SkillService,
  scope: Scope,
  { skill, alias }: { skill: string; alias: string },
): Promise<{ aliases: string[] }> {
  for (let attempt = 1; ; attempt++) {
    const reply = await skills.get(scope, skill, { alias, fields: ['id', 'version', 'aliases'] });
    const { id, version, aliases } = await readRendered<State>(reply);
    const values = aliases.filter((name) => name !== alias);
    try {
      await skills.updateVersion(scope, id, version, { aliases: { values } }, reply.etag);
      return { aliases: values };
    } catch (error) {
      const isOvertaken = error instanceof ApiError && error.status === 412;
      if (!isOvertaken || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

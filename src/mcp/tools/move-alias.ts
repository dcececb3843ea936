import { ApiError, type Scope } from '../../kit/http/index.ts';
import type { SkillService } from '../../skills/index.ts';
import { readRendered } from '../read-rendered.ts';

const ATTEMPTS_MAX = 5;

type Move = { skill: string; alias: string; version: number | null };
type State = { id: string; version: number; aliases: string[] };

/**
 * The registry sets all aliases of a version at once. They are read first and written on the condition that nothing
 * has changed since, so that an alias which somebody else moves at the same moment is not lost.
 */
export async function moveAlias(skills: SkillService, scope: Scope, { skill, alias, version }: Move) {
  for (let attempt = 1; ; attempt++) {
    const selector = version === null ? { alias } : { version };
    const reply = await skills.get(scope, skill, { ...selector, fields: ['id', 'version', 'aliases'] });
    const state = await readRendered<State>(reply);
    const others = state.aliases.filter((name) => name !== alias);
    const values = version === null ? others : [...others, alias];
    try {
      await skills.updateVersion(scope, state.id, state.version, { aliases: { values } }, reply.etag);
      return { skill, version, aliases: values.toSorted() };
    } catch (error) {
      const isOvertaken = error instanceof ApiError && error.status === 412;
      if (!isOvertaken || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

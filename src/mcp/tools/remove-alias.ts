import { ApiError, type RenderedReply, type Scope } from '../../kit/http/index.ts';
import type { SkillService } from '../../skills/index.ts';

const ATTEMPTS_MAX = 5;

type State = { id: string; version: number; aliases: string[] };

/** The registry sets all aliases of a version at once, so they are written only if nothing has changed since the read. */
export async function removeAlias(
  skills: SkillService,
  scope: Scope,
  { skill, alias }: { skill: string; alias: string },
): Promise<{ aliases: string[] }> {
  for (let attempt = 1; ; attempt++) {
    const reply = await skills.get(scope, skill, { alias, fields: ['id', 'version', 'aliases'] });
    const { id, version, aliases } = await parseState(reply);
    const values = aliases.filter((name) => name !== alias);
    try {
      await skills.updateVersion(scope, id, version, { aliases: { values } }, reply.etag);
      return { aliases: values };
    } catch (error) {
      const isOutdated = error instanceof ApiError && error.status === 412;
      if (!isOutdated || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

/** The service has already rendered its reply as JSON. */
async function parseState({ text }: RenderedReply): Promise<State> {
  return JSON.parse(typeof text === 'function' ? await text() : String(text)) as State;
}

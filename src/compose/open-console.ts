import { type AgentService, readSkills } from '../agents/index.ts';
import type { Config } from '../config/config.ts';
import { version } from '../config/version.ts';
import {
  type ConsoleService,
  createConsoleService,
  type PromptUses,
  type SkillUses,
  type Weights,
} from '../console/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import { ApiError, type Scope } from '../kit/http/index.ts';
import type { Tasks } from '../kit/tasks/index.ts';
import type { Metering } from '../metering/index.ts';
import type { ModelService } from '../models/index.ts';
import { CommandFailure } from '../operator/command-failure.ts';
import { describeProgress, listCatalogue, listInstalled, pullModel, weightsOf } from '../operator/weights.ts';
import type { PromptService } from '../prompts/index.ts';
import type { SkillService } from '../skills/index.ts';
import type { Platform } from './open-platform.ts';

const PAGE_SIZE = 100;
const AGENTS_MAX = 2000;

/** The service of the console, with what it asks of rooms that it does not enter. */
export function openConsole(options: {
  config: Config;
  platform: Platform;
  metering: Metering;
  models: ModelService;
  tasks: Tasks;
  agents: AgentService;
  prompts: PromptService;
  skills: SkillService;
  log: Logger;
}): ConsoleService {
  const { config, platform, metering, models, tasks, agents, prompts, skills, log } = options;
  const configured = new Map(config.file.models.map((model) => [model.id, model]));
  return createConsoleService({
    database: platform.database,
    tenants: platform.tenants,
    metering,
    models,
    tasks,
    weights: weightsFor(config),
    engineOf: (id) => configured.get(id)?.engine ?? 'llama',
    promptUses: (scope, promptId) => findPromptUses({ agents, prompts }, scope, promptId),
    skills: {
      uses: (scope, skillId) => findSkillUses({ agents, skills }, scope, skillId),
      findings: async (scope, skillId, version) => ({
        findings: await skills.catalogue.findings(scope, skillId, { version }),
      }),
    },
    publicUrl: config.publicUrl,
    currency: config.file.currency,
    version,
    now: systemClock,
    log,
  });
}

function weightsFor(config: Config): Weights {
  return {
    catalogue: () =>
      listCatalogue().map(({ id, purpose, summary, licence, bytes, memory_bytes, speed }) => ({
        id,
        purpose,
        summary,
        licence,
        bytes,
        memory_bytes,
        speed,
      })),
    installed: async () => (await listInstalled(config)).map(({ id }) => id),
    neededBy(id) {
      const model = config.file.models.find((one) => one.id === id);
      return model && weightsOf(model)[0];
    },
    async pull(model, onProgress, signal) {
      try {
        await pullModel(config, model, {
          sha256: undefined,
          signal,
          onProgress: (progress) =>
            onProgress({
              bytes: progress.phase === 'transferring' ? progress.doneBytes : 0,
              total_bytes: (progress.phase === 'transferring' && progress.totalBytes) || null,
              message: describeProgress(progress),
            }),
        });
      } catch (error) {
        if (error instanceof CommandFailure) throw new ApiError(502, error.message);
        throw error;
      }
    },
  };
}

type Named = { id: string; name: string };

/** An agent asks a prompt by naming it as its model: `prompt:<name>`, `prompt:<name>@<alias>` or `prompt:<name>#<version>`. */
async function findPromptUses(
  { agents, prompts }: { agents: AgentService; prompts: PromptService },
  scope: Scope,
  promptId: string,
): Promise<PromptUses> {
  const { text } = await prompts.get(scope, promptId, {});
  const { id, name } = JSON.parse(typeof text === 'function' ? await text() : String(text)) as Named;
  const uses: PromptUses['agents'] = [];
  for await (const agent of everyAgent(agents, scope)) {
    const [, named, alias = null, digits] = /^prompt:([^@#]+)(?:@([^@#]+)|#(\d+))?$/.exec(agent.model) ?? [];
    if (named !== name && named !== id) continue;
    const prompt_version = digits === undefined ? null : Number(digits);
    uses.push({ id: agent.id, name: agent.name, version: agent.version, alias, prompt_version });
  }
  return { agents: uses };
}

/** An agent names its skills in its metadata: `name`, `name@3` or `name@alias`. */
async function findSkillUses(
  { agents, skills }: { agents: AgentService; skills: SkillService },
  scope: Scope,
  skillId: string,
): Promise<SkillUses> {
  const { name } = await skills.catalogue.read(scope, skillId);
  const uses: SkillUses['agents'] = [];
  for await (const agent of everyAgent(agents, scope)) {
    const reference = readSkills(agent.metadata).find((text) => text.split('@')[0] === name);
    if (reference === undefined) continue;
    const [, selector] = reference.split('@');
    const isNumber = selector !== undefined && /^\d/.test(selector);
    uses.push({
      id: agent.id,
      name: agent.name,
      version: agent.version,
      alias: isNumber ? null : (selector ?? null),
      skill_version: isNumber ? Number(selector) : null,
    });
  }
  return { agents: uses };
}

async function* everyAgent(agents: AgentService, scope: Scope) {
  for (let page = 0; page * PAGE_SIZE < AGENTS_MAX; page++) {
    const found = await agents.list(scope, { page, page_size: PAGE_SIZE });
    yield* found;
    if (found.length < PAGE_SIZE) return;
  }
}

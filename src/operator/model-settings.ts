import { openModelSettings } from '../compose/open-model-settings.ts';
import type { Platform } from '../compose/open-platform.ts';
import type { Config } from '../config/config.ts';
import { createLog } from '../kit/base/log.ts';
import { ApiError, ValidationFailed } from '../kit/http/index.ts';
import { type ManagedModel, ModelSettings, type ModelSettingsService, presets } from '../model-settings/index.ts';
import { type Caller, OPERATOR } from '../tenants/index.ts';
import { CommandFailure } from './command-failure.ts';

export const presetIds = presets.flatMap(({ id, url }) => (url === '' ? [] : [id]));

/** Stores a model of another server; running servers serve it within a second. */
export function connectModel(
  platform: Platform,
  config: Config,
  { preset: name, ...given }: { preset: string | undefined; url: string | undefined } & Record<string, unknown>,
): Promise<ManagedModel> {
  const preset = presets.find(({ id }) => id === name);
  const settings = ModelSettings.safeParse({
    engine: 'upstream',
    kind: 'chat',
    ...withoutUndefined(given),
    url: given.url ?? preset?.url,
    private_network: given.private_network || preset?.private_network === true,
  });
  if (!settings.success) {
    const [issue] = settings.error.issues;
    throw new CommandFailure(`${issue?.path.join('.') || 'The model'}: ${issue?.message ?? 'not valid'}`);
  }
  return withSettings(platform, config, (changes, by) => changes.create(by, settings.data));
}

export function disconnectModel(platform: Platform, config: Config, id: string) {
  return withSettings(platform, config, (changes, by) => changes.remove(by, id));
}

/** The models of the file, of the database and of the program. */
export async function listManaged(platform: Platform, config: Config): Promise<ManagedModel[]> {
  return withSettings(platform, config, async (changes) => (await changes.list()).data);
}

async function withSettings<T>(
  platform: Platform,
  config: Config,
  work: (changes: ModelSettingsService['changes'], by: Caller) => Promise<T>,
): Promise<T> {
  const { modelSettings, close } = openModelSettings(config, platform, createLog('silent'));
  try {
    const [first] = await platform.tenants.listOrganizations();
    return await work(modelSettings.changes, { organization_id: first?.id ?? '', actor: OPERATOR });
  } catch (error) {
    if (error instanceof ValidationFailed) throw new CommandFailure(error.items.map(({ msg }) => msg).join('; '));
    if (error instanceof ApiError) throw new CommandFailure(error.message);
    throw error;
  } finally {
    await close();
  }
}

function withoutUndefined(given: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

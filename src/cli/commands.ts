import { audit } from './audit/command.ts';
import { backup, restore } from './backup/command.ts';
import { batch } from './batch/command.ts';
import { blobs } from './blobs/command.ts';
import { chat } from './chat/command.ts';
import { classifiers } from './classifiers/command.ts';
import { completion } from './completion/command.ts';
import { connectors } from './connectors/command.ts';
import { webConsole } from './console/command.ts';
import { doctor } from './doctor/command.ts';
import { evaluate } from './eval/command.ts';
import { exportCommand, importCommand } from './folder/command.ts';
import { gpu } from './gpu/command.ts';
import { groups } from './groups/command.ts';
import { init } from './init/command.ts';
import { keys } from './keys/command.ts';
import { library } from './library/command.ts';
import { limits } from './limits/command.ts';
import { listen } from './listen/command.ts';
import { mcp } from './mcp/command.ts';
import { models, pull } from './models/command.ts';
import { moderation } from './moderation/command.ts';
import { notifications } from './notifications/command.ts';
import { ocr } from './ocr/command.ts';
import { openapi } from './openapi/command.ts';
import { orgs } from './orgs/command.ts';
import { prompts } from './prompts/command.ts';
import { quarantine } from './quarantine/command.ts';
import { say } from './say/command.ts';
import { secrets } from './secrets/command.ts';
import { service } from './service/command.ts';
import type { CommandTable } from './shell/command.ts';
import { skills } from './skills/command.ts';
import { start } from './start/command.ts';
import { transcribe } from './transcribe/command.ts';
import { usage } from './usage/command.ts';
import { users } from './users/command.ts';
import { version } from './version/command.ts';
import { webhooks } from './webhooks/command.ts';
import { worker } from './worker/command.ts';
import { workspaces } from './workspaces/command.ts';

/** Every command, in the order of --help. Dispatch, help and shell completion read this list. */
export const COMMANDS: CommandTable = [
  ...[start, doctor, chat, say, transcribe, listen, ocr, library, pull, worker, init],
  ...[models, gpu, prompts, skills, exportCommand, importCommand, moderation, classifiers],
  ...[keys, orgs, users, workspaces, groups, limits, usage, batch, evaluate, audit],
  ...[webConsole, mcp, connectors, webhooks, notifications, secrets, service, blobs, quarantine, backup, restore],
  ...[openapi, completion, version],
];

import type { Logger } from '../../kit/base/log.ts';
import type { PromptService } from '../../prompts/index.ts';
import type { SkillService } from '../../skills/index.ts';
import type { LibraryTools } from '../tools/read-libraries.ts';
import type { ToolSource } from '../tools/tool.ts';
import type { WatchLists } from '../transport/watcher.ts';

export type McpOptions = {
  skills: SkillService;
  prompts: PromptService;
  libraries: LibraryTools;
  /** Tools of other rooms. */
  sources?: readonly ToolSource[];
  watch: WatchLists;
  version: string;
  log: Logger;
};

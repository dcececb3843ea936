import { adminRequirements } from './requirements/admin.ts';
import { agentRequirements } from './requirements/agents.ts';
import { chatRequirements } from './requirements/chat.ts';
import { classifierRequirements } from './requirements/classifiers.ts';
import { conversationRequirements } from './requirements/conversations.ts';
import { embeddingRequirements } from './requirements/embeddings.ts';
import { fileRequirements } from './requirements/files.ts';
import { guardrailRequirements } from './requirements/guardrails.ts';
import { httpRequirements } from './requirements/http.ts';
import { libraryRequirements } from './requirements/libraries.ts';
import { mcpRequirements } from './requirements/mcp.ts';
import { modelRequirements } from './requirements/models.ts';
import { ocrRequirements } from './requirements/ocr.ts';
import { promptRequirements } from './requirements/prompts.ts';
import type { Requirement } from './requirements/requirement.ts';
import { skillRequirements } from './requirements/skills.ts';
import { speechRequirements } from './requirements/speech.ts';
import { tenantRequirements } from './requirements/tenants.ts';
import { transcriptionRequirements } from './requirements/transcription.ts';
import { workflowRequirements } from './requirements/workflows.ts';

/** Every testable promise of the specification. A test cites one by its id in brackets in the title. */
export const requirements: Requirement[] = [
  ...httpRequirements,
  ...tenantRequirements,
  ...modelRequirements,
  ...chatRequirements,
  ...embeddingRequirements,
  ...guardrailRequirements,
  ...classifierRequirements,
  ...fileRequirements,
  ...libraryRequirements,
  ...speechRequirements,
  ...transcriptionRequirements,
  ...ocrRequirements,
  ...promptRequirements,
  ...skillRequirements,
  ...agentRequirements,
  ...conversationRequirements,
  ...workflowRequirements,
  ...adminRequirements,
  ...mcpRequirements,
];

export { rooms } from './requirements/requirement.ts';
export { untestable } from './requirements/untestable.ts';

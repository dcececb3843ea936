/** The public API for workflow authors. */
export { defineStep } from './define-step.ts';
export { defineWorkflow } from './define-workflow.ts';
export type {
  AgentCall,
  AgentResult,
  AgentTool,
  ChatCall,
  ChatMessage,
  ChatResult,
  ChildOptions,
  ConnectorCall,
  ConnectorResult,
  Log,
  ProgressTask,
  Retry,
  RunDescription,
  Step,
  StepContext,
  StepSettings,
  ToolCall,
  Workflow,
  WorkflowContext,
  WorkflowSettings,
} from './definitions.ts';
export { Cancelled, ChildFailed, InvalidPayload, NonRetryable, SignalFailed, StepFailed, TimedOut } from './errors.ts';
export type { Json } from './protocol.ts';
export type { Schema } from './schema.ts';
export { type LibraryPassage, type LibrarySearch, searchLibrary } from './search-library.ts';

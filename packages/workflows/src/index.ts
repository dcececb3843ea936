/** The public API for workflow authors. */
export { defineStep, type Log, type Retry, type Step, type StepContext, type StepSettings } from './define-step.ts';
export { defineWorkflow, type Workflow, type WorkflowSettings } from './define-workflow.ts';
export { Cancelled, ChildFailed, InvalidPayload, NonRetryable, SignalFailed, StepFailed, TimedOut } from './errors.ts';
export type { Json } from './protocol.ts';
export type { AgentCall, AgentResult, AgentTool } from './run/agent.ts';
export type { ChatCall, ChatMessage, ChatResult, ToolCall } from './run/model-turn.ts';
export type { ProgressTask } from './run/progress-task.ts';
export type { ChildOptions, RunDescription, WorkflowContext } from './run/workflow-context.ts';
export type { Schema } from './schema.ts';

import type { TimelineEvent } from './read-messages.ts';

export type Tone = 'neutral' | 'accent' | 'success' | 'warning' | 'danger' | 'violet';
export type EventTopic = 'execution' | 'step' | 'task' | 'message';

type Description = { title: string; topic: EventTopic; tone: Tone };

const DESCRIPTIONS: Record<TimelineEvent['event_type'], Description> = {
  WORKFLOW_EXECUTION_SIGNALED: { title: 'Signal received', topic: 'message', tone: 'violet' },
  WORKFLOW_EXECUTION_UPDATED: { title: 'Update received', topic: 'message', tone: 'violet' },
  WORKFLOW_EXECUTION_STARTED: { title: 'Execution started', topic: 'execution', tone: 'accent' },
  WORKFLOW_EXECUTION_COMPLETED: { title: 'Execution completed', topic: 'execution', tone: 'success' },
  WORKFLOW_EXECUTION_FAILED: { title: 'Execution failed', topic: 'execution', tone: 'danger' },
  WORKFLOW_EXECUTION_CANCELED: { title: 'Execution cancelled', topic: 'execution', tone: 'warning' },
  WORKFLOW_EXECUTION_CONTINUED_AS_NEW: { title: 'Continued as new run', topic: 'execution', tone: 'accent' },
  WORKFLOW_TASK_TIMED_OUT: { title: 'Turn timed out', topic: 'execution', tone: 'warning' },
  WORKFLOW_TASK_FAILED: { title: 'Turn failed', topic: 'execution', tone: 'danger' },
  CUSTOM_TASK_STARTED: { title: 'Task started', topic: 'task', tone: 'violet' },
  CUSTOM_TASK_IN_PROGRESS: { title: 'Task in progress', topic: 'task', tone: 'neutral' },
  CUSTOM_TASK_COMPLETED: { title: 'Task completed', topic: 'task', tone: 'success' },
  CUSTOM_TASK_FAILED: { title: 'Task failed', topic: 'task', tone: 'danger' },
  CUSTOM_TASK_TIMED_OUT: { title: 'Task timed out', topic: 'task', tone: 'warning' },
  CUSTOM_TASK_CANCELED: { title: 'Task cancelled', topic: 'task', tone: 'warning' },
  ACTIVITY_TASK_STARTED: { title: 'Step started', topic: 'step', tone: 'accent' },
  ACTIVITY_TASK_COMPLETED: { title: 'Step completed', topic: 'step', tone: 'success' },
  ACTIVITY_TASK_RETRYING: { title: 'Step retrying', topic: 'step', tone: 'warning' },
  ACTIVITY_TASK_FAILED: { title: 'Step failed', topic: 'step', tone: 'danger' },
};

/** The title of an event and its subject: step, task or workflow. */
export function describeEvent(event: TimelineEvent): Description & { subject: string; note: string } {
  return { ...DESCRIPTIONS[event.event_type], subject: subjectOf(event), note: noteOf(event) };
}

function subjectOf({ attributes, workflow_name }: TimelineEvent): string {
  if ('message_name' in attributes) return attributes.message_name;
  if ('activity_name' in attributes) return attributes.activity_name;
  if ('custom_task_type' in attributes) return attributes.custom_task_type;
  return workflow_name;
}

function noteOf({ attributes }: TimelineEvent): string {
  if ('failure' in attributes) {
    const attempt = 'activity_name' in attributes ? `Attempt ${attributes.attempt}: ` : '';
    return `${attempt}${attributes.failure.message}`;
  }
  if ('reason' in attributes) return attributes.reason ?? '';
  if ('timeout_type' in attributes) return attributes.timeout_type ?? '';
  return '';
}

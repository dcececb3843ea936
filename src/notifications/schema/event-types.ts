/** What can be announced. In a file of its own, because the console lists them too. */
export const eventTypes = [
  'batch.finished',
  'execution.ended',
  'execution.waiting',
  'conversation.run.ended',
  'conversation.waiting',
  'connector.tool.changed',
  'skill.findings',
  'document.processed',
  'evaluation.finished',
  'budget.near',
  'budget.spent',
  'key.created',
] as const;

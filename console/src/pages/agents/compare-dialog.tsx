import { Dialog } from '../../ui/dialog.tsx';
import { Diff } from '../../ui/diff.tsx';
import type { Agent } from './queries.ts';

export function CompareDialog({ agent, version, onClose }: { agent: Agent; version: Agent; onClose: () => void }) {
  const parts = [
    ['Instructions', version.instructions ?? '', agent.instructions ?? ''],
    ['Settings', settingsOf(version), settingsOf(agent)],
  ] as const;
  return (
    <Dialog title={`Version ${version.version} compared with current version ${agent.version}`} wide onClose={onClose}>
      <div className="stack">
        {parts.map(([title, before, after]) => (
          <div key={title} className="stack-tight">
            <h3>{title}</h3>
            <Diff label={title} before={before} after={after} />
          </div>
        ))}
      </div>
    </Dialog>
  );
}

function settingsOf({
  name,
  model,
  description,
  tools,
  completion_args,
  guardrails,
  handoffs,
  metadata,
}: Agent): string {
  return JSON.stringify({ name, model, description, tools, completion_args, guardrails, handoffs, metadata }, null, 2);
}

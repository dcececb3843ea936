import { CodeBlock } from '../../ui/code-block.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import type { Message, Part } from './messages.ts';
import styles from './requests.module.css';

const ROLES: Readonly<Record<string, string>> = {
  user: 'User',
  assistant: 'Assistant',
  system: 'System',
  tool: 'Tool',
};

export function MessageList({ label, messages }: { label: string; messages: readonly Message[] }) {
  return (
    <ol className="stack" aria-label={label}>
      {messages.map(({ role, parts }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages do not change.
        <li key={at} className={`${styles.message} ${styles[role] ?? ''}`}>
          <h3 className="small muted">{ROLES[role] ?? role}</h3>
          {parts.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts do not change.
            <PartView key={index} part={part} />
          ))}
        </li>
      ))}
    </ol>
  );
}

function PartView({ part }: { part: Part }) {
  if (part.type === 'text') return <Markdown text={part.content ?? ''} />;
  if (part.type === 'reasoning' || part.type === 'thinking')
    return (
      <details>
        <summary>Reasoning</summary>
        <p className={`muted ${styles.text}`}>{part.content}</p>
      </details>
    );
  if (part.type === 'tool_call') return <CodeBlock title={`Calls ${part.name}`} code={pretty(part.arguments)} wrap />;
  if (part.type === 'tool_call_response') return <CodeBlock title="Result" code={pretty(part.response)} wrap />;
  if (part.type === 'omitted') return <p className="muted">Earlier messages were not kept, because of their length.</p>;
  return <CodeBlock title={part.type} code={pretty(part)} wrap />;
}

function pretty(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value ?? null, null, 2);
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}

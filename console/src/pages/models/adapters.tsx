import { Link } from '@tanstack/react-router';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import type { ServedModel } from './queries.ts';

/** The fine-tuned models over this one, and how to add one: the adapter is a file of the server's machine. */
export function Adapters({ model: { id }, models }: { model: ServedModel; models: readonly ServedModel[] }) {
  const tuned = models.filter(({ base }) => base === id);
  return (
    <Card title="LoRA adapters">
      <div className="stack">
        {tuned.length > 0 && (
          <ul>
            {tuned.map((one) => (
              <li key={one.id} className="breakable">
                <Link to="/models/$modelId" params={{ modelId: one.id }}>
                  {one.name ?? one.id}
                </Link>
              </li>
            ))}
          </ul>
        )}
        <CodeBlock
          wrap
          title="On the server’s machine"
          code={`npx tramontane models add --base ${id} --adapter ./adapter.gguf --name "My model"`}
        />
        <p className="muted">The adapter is tried first, and is served to one workspace within a second.</p>
      </div>
    </Card>
  );
}

import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { AdapterDialog } from './adapter-dialog.tsx';
import styles from './adapters.module.css';
import { managedModelPath, modelsKey, type ServedModel } from './queries.ts';

/** Weights of the catalogue or of Hugging Face; others are a path of the server's machine, which only it knows. */
const NAMED = /^[A-Za-z0-9][\w.-]*$|^[\w.-]+\/[\w.-]+:[\w.-]+\.gguf$/;

type Props = { model: ServedModel; models: readonly ServedModel[]; isOperator: boolean };

/** The models that are adapters over this one. Operators add and remove them. */
export function Adapters({ model, models, isOperator }: Props) {
  const [isAdding, setAdding] = useState(false);
  const tuned = models.filter(({ base }) => base === model.id);
  const canAdd = isOperator && NAMED.test(model.weights ?? '');
  if (tuned.length === 0 && !isOperator) return null;
  return (
    <Card
      title="LoRA adapters"
      actions={
        canAdd && (
          <Button small icon="plus" onClick={() => setAdding(true)}>
            Add adapter
          </Button>
        )
      }
    >
      <div className="stack">
        {tuned.length > 0 ? (
          <ul className={styles.list}>
            {tuned.map((one) => (
              <Entry key={one.id} model={one} isOperator={isOperator} />
            ))}
          </ul>
        ) : (
          <p className="muted">
            An adapter changes what the model says, in a small file of its own. It is served beside the model, at once.
          </p>
        )}
        {!canAdd && isOperator && (
          <CodeBlock
            wrap
            title="On the server’s machine"
            code={`npx tramontane models add --base ${model.id} --adapter ./adapter.gguf --name "My model"`}
          />
        )}
      </div>
      {isAdding && <AdapterDialog base={model} onClose={() => setAdding(false)} />}
    </Card>
  );
}

function Entry({ model: { id, name, source }, isOperator }: { model: ServedModel; isOperator: boolean }) {
  const remove = useRemoval({
    title: () => `Remove ${id}?`,
    body: 'Requests that name it are refused from then on. An uploaded file is deleted with it.',
    action: 'Remove adapter',
    run: () => api.delete(managedModelPath(id)),
    done: () => `${name ?? id} was removed.`,
    reload: modelsKey,
  });
  return (
    <li className="row row-between">
      <Link to="/models/$modelId" params={{ modelId: id }} className="breakable">
        {name ?? id}
      </Link>
      {isOperator && source === 'database' && (
        <Button small look="quiet" icon="trash" iconOnly busy={remove.isPending} onClick={() => remove.ask()}>
          {`Remove ${id}`}
        </Button>
      )}
    </li>
  );
}

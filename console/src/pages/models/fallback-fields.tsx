import { Button } from '../../ui/button.tsx';
import fieldStyles from '../../ui/field.module.css';
import { TextField } from '../../ui/field.tsx';
import { emptyTarget, type TargetDraft } from './model-draft.ts';
import styles from './models.module.css';

/** Other servers of the same model, in the order in which they are tried. */
export function FallbackFields({
  fallbacks,
  onChange,
}: {
  fallbacks: readonly TargetDraft[];
  onChange: (fallbacks: TargetDraft[]) => void;
}) {
  const set = (index: number, change: Partial<TargetDraft>) =>
    onChange(fallbacks.map((target, at) => (at === index ? { ...target, ...change } : target)));
  return (
    <fieldset className="stack-tight">
      <legend className={fieldStyles.label}>Fallbacks</legend>
      <div className={fieldStyles.hint}>
        Servers of the same model that are tried in this order when the one before fails.
      </div>
      {fallbacks.map((target, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have nothing else, and keep their order.
        <div key={index} className={styles.fallback}>
          <TextField
            label={`Address of fallback ${index + 1}`}
            fills={`fallbacks.${index}.url`}
            value={target.url}
            required
            onChange={(event) => set(index, { url: event.target.value })}
          />
          <TextField
            label={`API key of fallback ${index + 1}`}
            fills={`fallbacks.${index}.api_key`}
            type="password"
            autoComplete="off"
            placeholder={target.hasKey ? 'Stored' : 'None'}
            value={target.apiKey}
            onChange={(event) => set(index, { apiKey: event.target.value })}
          />
          <TextField
            label={`Model of fallback ${index + 1}`}
            fills={`fallbacks.${index}.upstream_model`}
            placeholder="same name"
            value={target.upstreamModel}
            onChange={(event) => set(index, { upstreamModel: event.target.value })}
          />
          <Button
            look="quiet"
            icon="trash"
            iconOnly
            onClick={() => onChange(fallbacks.filter((_, at) => at !== index))}
          >
            {`Remove fallback ${index + 1}`}
          </Button>
        </div>
      ))}
      <div>
        <Button small icon="plus" onClick={() => onChange([...fallbacks, emptyTarget])}>
          Add a fallback
        </Button>
      </div>
    </fieldset>
  );
}

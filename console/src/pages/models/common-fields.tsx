import { TextField } from '../../ui/field.tsx';
import type { ModelDraft } from './model-draft.ts';
import styles from './models.module.css';

type Props = { draft: ModelDraft; currency: string; onChange: (change: Partial<ModelDraft>) => void };

/** What every model has, wherever it runs: other names, prices, limits and a description. */
export function CommonFields({ draft, currency, onChange }: Props) {
  const amount = { type: 'number', min: 0, step: 'any' } as const;
  const whole = { type: 'number', min: 1, step: 1, placeholder: 'No limit' } as const;
  return (
    <>
      <TextField
        label="Aliases"
        placeholder="fast, default"
        hint="Other names for it, separated by commas."
        value={draft.aliases}
        onChange={(event) => onChange({ aliases: event.target.value })}
      />
      <div className={styles.fieldRow}>
        <TextField
          label={`Price of input (${currency} per million tokens)`}
          fills="price.prompt"
          {...amount}
          placeholder="0"
          value={draft.pricePrompt}
          onChange={(event) => onChange({ pricePrompt: event.target.value })}
        />
        <TextField
          label={`Price of output (${currency} per million tokens)`}
          fills="price.completion"
          {...amount}
          placeholder="0"
          value={draft.priceCompletion}
          onChange={(event) => onChange({ priceCompletion: event.target.value })}
        />
      </div>
      <div className={styles.fieldRow}>
        <TextField
          label="Requests per minute"
          fills="limits.requests_per_minute"
          hint="From all callers together."
          {...whole}
          value={draft.requestsPerMinute}
          onChange={(event) => onChange({ requestsPerMinute: event.target.value })}
        />
        <TextField
          label="Tokens per minute"
          fills="limits.tokens_per_minute"
          hint="Above a limit, the response is 429."
          {...whole}
          value={draft.tokensPerMinute}
          onChange={(event) => onChange({ tokensPerMinute: event.target.value })}
        />
      </div>
      <TextField
        label="Description"
        value={draft.description}
        onChange={(event) => onChange({ description: event.target.value })}
      />
    </>
  );
}

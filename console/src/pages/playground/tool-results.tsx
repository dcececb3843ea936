import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { TextAreaField } from '../../ui/field.tsx';
import styles from './playground.module.css';
import type { Call } from './setup.ts';

type Props = { calls: readonly Call[]; onSend: (results: { call: Call; content: string }[]) => void };

/** The user enters the results of tool calls. */
export function ToolResults({ calls, onSend }: Props) {
  const [results, setResults] = useState<Record<string, string>>({});
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSend(calls.map((call) => ({ call, content: results[call.id] ?? '' })));
  };
  return (
    <form className={`stack-tight ${styles.results}`} onSubmit={submit}>
      {calls.map((call) => (
        <TextAreaField
          key={call.id}
          label={`Result of ${call.name}`}
          hint="The playground does not run tools. Enter a result to continue."
          rows={2}
          code
          required
          value={results[call.id] ?? ''}
          onChange={(event) => setResults({ ...results, [call.id]: event.target.value })}
        />
      ))}
      <div className="row row-end">
        <Button type="submit" small>
          Send results
        </Button>
      </div>
    </form>
  );
}

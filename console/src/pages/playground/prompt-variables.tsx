import { useQuery } from '@tanstack/react-query';
import { piecesOf, variablesOf } from '../../registry/placeholders.ts';
import { TextField } from '../../ui/field.tsx';
import styles from './playground.module.css';
import { promptVersions, versionAt } from './queries.ts';
import type { Target } from './setup.ts';

type Props = {
  target: Extract<Target, { kind: 'prompt' }>;
  values: Record<string, string>;
  onChange: (values: Record<string, string>) => void;
};

/** One field per variable, and the rendered prompt. */
export function PromptVariables({ target, values, onChange }: Props) {
  const { data: versions = [] } = useQuery(promptVersions(target.name));
  const content = versionAt(versions, target.at)?.definition?.content;
  if (content === undefined) return null;
  return (
    <div className="stack-tight">
      {variablesOf(content).map((name) => (
        <TextField
          key={name}
          label={<code>{name}</code>}
          value={values[name] ?? ''}
          onChange={(event) => onChange({ ...values, [name]: event.target.value })}
        />
      ))}
      <details className={styles.more}>
        <summary>Rendered prompt</summary>
        <p className={styles.rendered}>{piecesOf(content, values).map(({ text }) => text)}</p>
      </details>
    </div>
  );
}

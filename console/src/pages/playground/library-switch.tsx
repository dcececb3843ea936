import { useQuery } from '@tanstack/react-query';
import { CheckField } from '../../ui/field.tsx';
import { libraries } from './queries.ts';

type Props = { chosen: readonly string[]; onChange: (chosen: readonly string[]) => void };

/** Which libraries the model may search. Not shown where there are none. */
export function LibrarySwitch({ chosen, onChange }: Props) {
  const { data = [] } = useQuery(libraries);
  if (data.length === 0) return null;
  return (
    <details className="playground-more" open={chosen.length > 0 || undefined}>
      <summary>Libraries{chosen.length > 0 && ` (${chosen.length})`}</summary>
      <fieldset className="stack-tight playground-libraries">
        <legend className="field-hint">The model searches these and cites what it used.</legend>
        {data.map(({ id, name, nb_documents }) => (
          <CheckField
            key={id}
            label={name}
            hint={nb_documents === 1 ? '1 document' : `${nb_documents} documents`}
            checked={chosen.includes(id)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, id] : chosen.filter((other) => other !== id))
            }
          />
        ))}
      </fieldset>
    </details>
  );
}

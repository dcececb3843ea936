import { useQuery } from '@tanstack/react-query';
import fieldStyles from '../../ui/field.module.css';
import { CheckField } from '../../ui/field.tsx';
import styles from './playground.module.css';
import { connectors, libraries } from './queries.ts';
import { SERVER_TOOLS, type ServerTool, type Setup } from './setup.ts';

type Props = { setup: Setup; onChange: (change: Partial<Setup>) => void };

const TOOL_LABELS: Record<ServerTool, { label: string; hint: string }> = {
  web_search: { label: 'Web search', hint: 'Needs a provider set up by the operator.' },
  code_interpreter: { label: 'Code interpreter', hint: 'Runs Python in a sandbox without network.' },
  image_generation: { label: 'Image generation', hint: 'Needs a provider set up by the operator.' },
};

/** What the server runs for the model: its own tools, connectors, and libraries to search. */
export function ToolSwitches({ setup, onChange }: Props) {
  const { data: connected = [] } = useQuery(connectors);
  const { data: searchable = [] } = useQuery(libraries);
  const tools = SERVER_TOOLS.map((id) => ({ id, ...TOOL_LABELS[id] }));
  return (
    <>
      <Switches
        title="Server tools"
        chosen={setup.serverTools}
        options={tools}
        onChange={(chosen) => onChange({ serverTools: chosen as ServerTool[] })}
      />
      <Switches
        title="Connectors"
        explains="The model may call the tools of these."
        chosen={setup.connectors}
        options={connected.map(({ id, name, description }) => ({ id, label: name, hint: description ?? '' }))}
        onChange={(chosen) => onChange({ connectors: chosen })}
      />
      <Switches
        title="Libraries"
        explains="The model searches these and cites what it used."
        chosen={setup.libraries}
        options={searchable.map(({ id, name, nb_documents }) => ({
          ...{ id, label: name },
          hint: nb_documents === 1 ? '1 document' : `${nb_documents} documents`,
        }))}
        onChange={(chosen) => onChange({ libraries: chosen })}
      />
    </>
  );
}

type SwitchesProps = {
  title: string;
  explains?: string;
  chosen: readonly string[];
  options: readonly { id: string; label: string; hint: string }[];
  onChange: (chosen: readonly string[]) => void;
};

/** Not shown where there is nothing to choose. */
function Switches({ title, explains, chosen, options, onChange }: SwitchesProps) {
  if (options.length === 0) return null;
  return (
    <details className={styles.more} open={chosen.length > 0 || undefined}>
      <summary>
        {title}
        {chosen.length > 0 && ` (${chosen.length})`}
      </summary>
      <fieldset className={`stack-tight ${styles.libraries}`}>
        <legend className={explains ? fieldStyles.hint : 'visually-hidden'}>{explains ?? title}</legend>
        {options.map(({ id, label, hint }) => (
          <CheckField
            key={id}
            label={label}
            hint={hint}
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

import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx';
import { responseFormats, terms, toolChoices } from '../../ui/terms.ts';
import styles from './playground.module.css';
import { PromptInsert } from './prompt-insert.tsx';
import { SchemaEditor } from './schema-editor.tsx';
import type { Problems, Setup } from './setup.ts';

type Props = {
  setup: Setup;
  problems: Problems;
  /** Agents define their own system prompt and sampling. */
  isAgent: boolean;
  onChange: (change: Partial<Setup>) => void;
};

const TOOLS_EXAMPLE = `[{
  "type": "function",
  "function": {
    "name": "get_weather",
    "description": "The weather of a city",
    "parameters": {
      "type": "object",
      "properties": { "city": { "type": "string" } },
      "required": ["city"]
    }
  }
}]`;

/** Empty fields use the server's defaults. */
export function Settings({ setup, problems, isAgent, onChange }: Props) {
  const text = (field: 'temperature' | 'topP' | 'maxTokens' | 'seed') => ({
    value: setup[field],
    error: problems[field],
    inputMode: 'decimal' as const,
    onChange: (event: { target: { value: string } }) => onChange({ [field]: event.target.value }),
  });
  return (
    <>
      {!isAgent && (
        <>
          <TextAreaField
            label={terms.system}
            rows={4}
            placeholder="How the model should behave"
            value={setup.system}
            onChange={(event) => onChange({ system: event.target.value })}
          />
          <PromptInsert onInsert={(system) => onChange({ system })} />
        </>
      )}
      <details className={styles.more} open={hasAny(problems, 'temperature', 'topP', 'maxTokens', 'seed')}>
        <summary>Sampling</summary>
        <div className={styles.pairs}>
          {!isAgent && <TextField label={terms.temperature} placeholder="default" {...text('temperature')} />}
          {!isAgent && <TextField label={terms.top_p} placeholder="default" {...text('topP')} />}
          <TextField label={terms.max_tokens} placeholder="default" {...text('maxTokens')} />
          <TextField label={terms.random_seed} placeholder="none" {...text('seed')} />
        </div>
        <TextAreaField
          label={terms.stop}
          hint="One per line."
          rows={2}
          code
          value={setup.stop}
          onChange={(event) => onChange({ stop: event.target.value })}
        />
      </details>
      <details className={styles.more} open={hasAny(problems, 'tools')}>
        <summary>Tools</summary>
        <TextAreaField
          label="Tools (JSON)"
          rows={8}
          code
          placeholder={TOOLS_EXAMPLE}
          error={problems.tools}
          value={setup.tools}
          onChange={(event) => onChange({ tools: event.target.value })}
        />
        <SelectField
          label={terms.tool_choice}
          value={setup.toolChoice}
          onChange={(toolChoice) => onChange({ toolChoice })}
          options={toolChoices}
        />
      </details>
      <details className={styles.more} open={hasAny(problems, 'schema')}>
        <summary>{terms.response_format}</summary>
        <SelectField
          label={terms.response_format}
          value={setup.format}
          onChange={(format) => onChange({ format })}
          options={responseFormats}
        />
        {setup.format === 'json_schema' && (
          <SchemaEditor schema={setup.schema} problem={problems.schema} onChange={(schema) => onChange({ schema })} />
        )}
      </details>
    </>
  );
}

// Opens on a problem; otherwise the user's choice stays.
function hasAny(problems: Problems, ...fields: (keyof Problems)[]): true | undefined {
  return fields.some((field) => problems[field] !== undefined) || undefined;
}

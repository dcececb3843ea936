import { useMemo, useState } from 'react';
import { ApiError } from '../../api/api.ts';
import { type Draft, draftOf } from './drafts.ts';
import type { Field, JsonSchema } from './fields.ts';
import { type Problems, readDraft, readJson } from './read-draft.ts';
import { readSchema } from './read-schema.ts';

export type SchemaForm = {
  field: Field;
  mode: 'form' | 'json';
  setMode: (mode: 'form' | 'json') => void;
  draft: Draft;
  setDraft: (draft: Draft) => void;
  text: string;
  setText: (text: string) => void;
  problems: Problems;
  /** The value, or undefined when there are problems, which the form then shows. */
  read: () => { value: unknown } | undefined;
  /** Shows the server's problems beside their inputs. `prefix` is the path of the value in the request. */
  showErrors: (error: unknown, prefix: string) => void;
};

/** A form derived from a schema, which can also be edited as JSON. */
export function useSchemaForm(schema: JsonSchema, initial?: unknown): SchemaForm {
  const field = useMemo(() => readSchema(schema), [schema]);
  const [mode, setMode] = useState<'form' | 'json'>('form');
  const [draft, setDraft] = useState<Draft>(() => draftOf(field, initial, true));
  const [text, setText] = useState('');
  const [problems, setProblems] = useState<Problems>({});

  function readText(): { value: unknown; problems: Problems } {
    const found: Record<string, string> = {};
    const value = text.trim() === '' ? undefined : readJson(text, '', found);
    return { value, problems: found };
  }

  return {
    field,
    mode,
    draft,
    text,
    problems,
    setMode(next) {
      setProblems({});
      if (next === 'json') setText(JSON.stringify(readDraft(field, draft).value ?? {}, null, 2));
      else {
        const { value, problems: found } = readText();
        if (found['']) return setProblems(found);
        setDraft(draftOf(field, value, true));
      }
      setMode(next);
    },
    setDraft(next) {
      setDraft(next);
      // Problems are re-checked on each change, but only after the first submit.
      if (Object.keys(problems).length > 0) setProblems(readDraft(field, next).problems);
    },
    setText,
    read() {
      const { value, problems: found } = mode === 'json' ? readText() : readDraft(field, draft);
      setProblems(found);
      return Object.keys(found).length > 0 ? undefined : { value };
    },
    showErrors(error, prefix) {
      if (!(error instanceof ApiError)) return;
      const found = error.problems.flatMap(({ field: path, message }) =>
        path === prefix
          ? [['', message]]
          : path.startsWith(`${prefix}.`)
            ? [[path.slice(prefix.length + 1), message]]
            : [],
      );
      setProblems(Object.fromEntries(found));
    },
  };
}

import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useState,
  useSyncExternalStore,
} from 'react';
import { ApiError } from '../api/api-error.ts';
import { type FormField, matchFields } from './match-fields.ts';

type Reported = { id: string; error: unknown };

/** The inputs of one form and the errors of its requests: each problem is shown by the input that it is about. */
class FormErrorStore {
  readonly #fields = new Map<string, FormField>();
  readonly #errors = new Map<string, unknown>();
  readonly #listeners = new Set<() => void>();
  #messages: ReadonlyMap<string, string> = new Map();
  #rests: ReadonlyMap<string, unknown> = new Map();

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
  readonly messageOf = (id: string) => this.#messages.get(id);
  /** The error as far as no input shows it; undefined when they show all of it. */
  readonly restOf = ({ id, error }: Reported) => (this.#rests.has(id) ? this.#rests.get(id) : error);

  addField(field: FormField): () => void {
    this.#fields.set(field.id, field);
    if (this.#errors.size > 0) this.#update();
    return () => void this.#fields.delete(field.id);
  }

  addError({ id, error }: Reported): () => void {
    this.#errors.set(id, error);
    this.#update();
    return () => {
      this.#errors.delete(id);
      this.#update();
    };
  }

  #update(): void {
    const messages = new Map<string, string>();
    const rests = new Map<string, unknown>();
    for (const [id, error] of this.#errors) {
      if (!(error instanceof ApiError) || error.problems.length === 0) continue;
      const { byId, left } = matchFields(error.problems, [...this.#fields.values()]);
      for (const [field, message] of byId) messages.set(field, message);
      rests.set(id, left.length === 0 ? undefined : left.length < error.problems.length ? error.only(left) : error);
    }
    this.#messages = messages;
    this.#rests = rests;
    for (const listener of this.#listeners) listener();
  }
}

const none = new FormErrorStore();
const Context = createContext<FormErrorStore>(none);

/** Around a form: an ErrorNotice in it gives the problems to the inputs that they are about. Dialogs have one. */
export function FormErrors({ children }: { children: ReactNode }) {
  const [store] = useState(() => new FormErrorStore());
  return <Context value={store}>{children}</Context>;
}

/** What is wrong with this input, as the last request said. */
export function useFieldError(id: string, label: ReactNode, names: readonly string[]): string | undefined {
  const store = useContext(Context);
  const text = typeof label === 'string' ? label : '';
  const joined = names.join(' ');
  useEffect(() => {
    if (store === none) return undefined;
    return store.addField({ id, label: text, names: joined === '' ? [] : joined.split(' ') });
  }, [store, id, text, joined]);
  return useSyncExternalStore(store.subscribe, () => store.messageOf(id));
}

/** The part of an error that no input of the form shows. */
export function useErrorRest(error: unknown): unknown {
  const store = useContext(Context);
  const id = useId();
  // Before the browser paints, or all of it would show for a moment.
  useLayoutEffect(() => {
    if (store === none || !error) return undefined;
    return store.addError({ id, error });
  }, [store, id, error]);
  const rest = useSyncExternalStore(store.subscribe, () => store.restOf({ id, error }));
  return error ? rest : undefined;
}

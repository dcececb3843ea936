import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from 'react';
import { applyTheme } from '../theme.ts';
import dialogStyles from '../ui/dialog.module.css';
import { Icon, type IconName } from '../ui/icon.tsx';
import stateStyles from '../ui/state.module.css';
import styles from './command-palette.module.css';
import { docs, type Place, places } from './commands.ts';
import { actionOf, PLACES, searchEverything } from './find-objects.ts';

type Command = { key: string; label: string; detail?: string; kind?: string; icon: IconName; run: () => void };

const DOCS_MAX = 6;
const SETTLE_MS = 150;

/** Opened with Ctrl+K or Cmd+K; a chunk of its own, loaded on first use. */
export default function CommandPalette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const { found, isSearching } = useCommands(text.trim());
  const chosen = Math.min(at, found.length - 1);

  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length > 0) setAt((chosen + step + found.length) % found.length);
    else if (event.key === 'Enter') run(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      className={`${dialogStyles.dialog} ${styles.palette}`}
      aria-label="Search"
      closedby="any"
      onClose={onClose}
    >
      <input
        className={styles.input}
        role="combobox"
        aria-label="Go to a page or search by name"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={found[chosen] ? `${id}-${chosen}` : undefined}
        placeholder="Search prompts, agents, conversations, files, settings, docs…"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={id} className={styles.list} role="listbox" aria-label="Results">
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input keeps the focus and handles the keys.
          <div
            key={command.key}
            id={`${id}-${index}`}
            className={styles.option}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            ref={index === chosen ? keepInView : undefined}
            onClick={() => run(command)}
          >
            <Icon name={command.icon} />
            <span className={`grow ${styles.words}`}>
              <span className="clip">{command.label}</span>
              {command.detail && <span className="small muted clip">{command.detail}</span>}
            </span>
            {command.kind && <span className="small muted">{command.kind}</span>}
          </div>
        ))}
        {found.length === 0 && (
          <p className={`${stateStyles.state} muted`}>{isSearching ? 'Searching…' : 'No results.'}</p>
        )}
      </div>
      <div className="visually-hidden" aria-live="polite">
        {text.trim() !== '' && !isSearching && `${found.length} results`}
      </div>
    </dialog>
  );
}

const keepInView = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' });

/** Pages and settings that have the words at once, objects of the workspace when the server has answered, then docs. */
function useCommands(text: string): { found: Command[]; isSearching: boolean } {
  const router = useRouter();
  const go = (place: Place) => () =>
    place.href === undefined
      ? void router.navigate({ to: place.to, search: place.search ?? {} } as never)
      : window.open(place.href, '_blank', 'noopener');
  const settled = useSettled(useDeferredValue(text));
  const { data: objects = [], isFetching } = useQuery(searchEverything(settled));
  const sought = text.toLowerCase();
  const has = ({ label, words = '' }: Place) => `${label} ${words}`.toLowerCase().includes(sought);
  const toCommand = (place: Place): Command => ({
    ...{ key: `${place.kind} ${place.to ?? place.href}`, label: place.label, icon: place.icon, run: go(place) },
    ...(place.kind === undefined ? {} : { kind: place.kind }),
  });
  const themes: Command[] = (['light', 'dark'] as const).map((theme) => ({
    ...{ key: theme, label: theme === 'light' ? 'Light theme' : 'Dark theme', icon: 'theme' },
    run: () => applyTheme(theme),
  }));
  const shown = [
    ...places.filter(has).map(toCommand),
    ...themes.filter(({ label }) => label.toLowerCase().includes(sought)),
  ];
  if (sought === '') return { found: shown, isSearching: false };
  const named = (settled === '' ? [] : objects).flatMap((found): Command[] => {
    const { kind, icon, to } = PLACES[found.kind];
    const action = actionOf(found);
    const open = { label: found.name, icon, kind, detail: found.detail, key: `${kind} ${found.id}` };
    return [
      { ...open, run: go({ label: found.name, icon, to: to(found.id) }) },
      ...(action
        ? [
            {
              ...{ key: `act ${found.id}`, label: action.label, icon: 'play' as const, kind: 'Action' },
              run: go({ ...action, icon }),
            },
          ]
        : []),
    ];
  });
  const read = docs.filter(has).slice(0, DOCS_MAX).map(toCommand);
  return { found: [...shown, ...named, ...read], isSearching: isFetching || settled !== text };
}

/** The text once it has stood for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

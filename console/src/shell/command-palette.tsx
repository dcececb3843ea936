import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { applyTheme } from '../theme.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { areas } from './areas.ts';
import { objectsQuery } from './find-objects.ts';

type Command = { key: string; label: string; kind?: string; icon: IconName; run: () => void };

/** Objects are listed only once something is typed. */
const OBJECTS_MAX = 20;

/** Opened with Ctrl+K or Cmd+K; a chunk of its own, loaded on first use. */
export default function CommandPalette({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);

  const places: [string, string, IconName][] = [
    ...areas.flatMap(({ entries }) =>
      entries.map(({ label, to, icon }) => [label, to, icon] as [string, string, IconName]),
    ),
    ['Members and invitations', '/organization', 'people'],
    ['Workspaces', '/organization/workspaces', 'people'],
    ['API keys', '/organization/api-keys', 'key'],
    ['Admin keys', '/organization/admin-keys', 'key'],
    ['Usage', '/organization/usage', 'chart'],
    ['Limits', '/organization/limits', 'chart'],
    ['Audit log', '/organization/audit-log', 'list'],
  ];
  const commands: Command[] = [
    ...places.map(([label, to, icon]) => ({ key: to, label, icon, run: () => void router.navigate({ to }) })),
    { key: 'light', label: 'Light theme', icon: 'theme', run: () => applyTheme('light') },
    { key: 'dark', label: 'Dark theme', icon: 'theme', run: () => applyTheme('dark') },
  ];
  const sought = text.trim().toLowerCase();
  const { data: objects = [], isFetching } = useQuery(objectsQuery);
  const named =
    sought === ''
      ? []
      : objects
          .filter(({ id, name }) => name.toLowerCase().includes(sought) || id.toLowerCase().startsWith(sought))
          .slice(0, OBJECTS_MAX)
          .map(({ kind, id, name, icon, to }) => ({
            ...{ key: `${kind} ${id}`, label: name, kind, icon },
            run: () => void router.navigate({ to }),
          }));
  const found: Command[] = [...commands.filter(({ label }) => label.toLowerCase().includes(sought)), ...named];
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
    <dialog ref={dialog} className="dialog palette" aria-label="Go to" closedby="any" onClose={onClose}>
      <input
        className="palette-input"
        role="combobox"
        aria-label="Go to a page or search by name"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={found[chosen] ? `${id}-${chosen}` : undefined}
        placeholder="Go to a page, or search by name or ID…"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={id} className="palette-list" role="listbox" aria-label="Pages">
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input keeps the focus and handles the keys.
          <div
            key={command.key}
            id={`${id}-${index}`}
            className="palette-option"
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => run(command)}
          >
            <Icon name={command.icon} />
            <span className="grow clip">{command.label}</span>
            {command.kind && <span className="small muted">{command.kind}</span>}
          </div>
        ))}
        {found.length === 0 && <p className="state muted">{isFetching ? 'Searching…' : 'No results.'}</p>}
      </div>
    </dialog>
  );
}

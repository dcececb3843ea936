import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import fieldStyles from '../../ui/field.module.css';
import { Icon } from '../../ui/icon.tsx';
import { Page } from '../../ui/page.tsx';
import { useToast } from '../../ui/toast.tsx';
import type { Attachment } from './attachments.ts';
import { CodeDialog } from './code-dialog.tsx';
import { Composer } from './composer.tsx';
import { readDraft, useKeepDraft } from './draft.ts';
import styles from './playground.module.css';
import { SaveDialog } from './save-dialog.tsx';
import { NameDialog, SessionsDialog } from './sessions-dialog.tsx';
import { buildRequest, EMPTY_SETUP, nameOfTarget, serverToolsOf, type Turn } from './setup.ts';
import { SetupCard } from './setup-card.tsx';
import { Transcript } from './transcript.tsx';
import { EMPTY_PANE, withoutLastReply } from './use-run.ts';
import { nameFor, useSession } from './use-session.ts';
import { useSides } from './use-sides.ts';

const route = getRouteApi('/shell/playground');

export function PlaygroundPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const toast = useToast();
  // A link that names a target starts anew; otherwise the page is as it was left.
  const [kept] = useState(() => readDraft(search));
  const sides = useSides(kept);
  const { setups, runs, isShared } = sides;
  const [at, setAt] = useState(0);
  const [showing, setShowing] = useState<'code' | 'save' | 'sessions' | 'name'>();
  const [tried, setTried] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const panes = useRef<HTMLDivElement>(null);
  const isRunning = runs.some((run) => run.isRunning);
  const draft = {
    sides: setups.map((setup, side) => ({ setup, pane: runs[side]?.pane ?? EMPTY_PANE })),
    isShared,
  };
  const keeper = useSession(draft, kept.session, isRunning);
  const { session } = keeper;
  useKeepDraft({ ...draft, session });

  const open = async (id: string) => {
    setShowing(undefined);
    setAt(0);
    try {
      sides.show(await keeper.open(id));
    } catch (error) {
      toast.error(error);
    }
  };
  // A link to a session shows it once; going on must not show it again.
  const opened = useRef('');
  // biome-ignore lint/correctness/useExhaustiveDependencies: opens what the address names, when it changes.
  useEffect(() => {
    if (!search.session || opened.current === search.session) return;
    opened.current = search.session;
    void open(search.session).then(() => navigate({ search: {}, replace: true }));
  }, [search.session]);

  const setup = setups[at] ?? EMPTY_SETUP;
  // Empty fields are reported only after the first attempt to send.
  const problems = tried ? buildRequest(setup, []).problems : {};
  const send = (text: string, attachments: readonly Attachment[]): boolean => {
    setTried(true);
    const wrong = setups.map((each) => Object.values(buildRequest(each, []).problems));
    const found = wrong.findIndex((each) => each.length > 0);
    setRefusal(wrong[found]?.[0]);
    if (found >= 0) {
      setAt(found);
      return false;
    }
    for (const run of runs) void run.send(text, attachments);
    // On a narrow screen the responses are below the form.
    panes.current?.scrollIntoView({ block: 'nearest' });
    return true;
  };
  const startAnew = () => {
    for (const run of runs) run.clear();
    keeper.adopt(undefined, {
      sides: draft.sides.map(({ setup: each }) => ({ setup: each, pane: EMPTY_PANE })),
      isShared,
    });
  };
  const branch = async (turn: number) => {
    const cut = draft.sides.map(({ setup: each, pane }) => ({
      setup: each,
      pane: { ...EMPTY_PANE, turns: pane.turns.slice(0, turn), replies: pane.replies },
    }));
    try {
      await keeper.branch({ sides: cut, isShared });
      sides.show({ sides: cut, isShared });
      toast.success('This is a new session. The other one is kept.');
    } catch (error) {
      toast.error(error);
    }
  };
  // A request ends with what the model is to answer.
  const asked = withoutLastReply(runs[at]?.pane.turns ?? []);
  const shown: Turn[] = asked.length > 0 ? asked : [{ role: 'user', content: 'Hello!' }];
  return (
    <Page
      title="Playground"
      wide
      lead={session ? `Session: ${session.name}` : 'Test a model, a prompt or an agent.'}
      actions={
        <>
          <Button icon="list" onClick={() => setShowing('sessions')}>
            Sessions
          </Button>
          {!session && (
            <Button icon="check" onClick={() => setShowing('name')}>
              Save session
            </Button>
          )}
          <Button icon="copy" onClick={() => setShowing('code')}>
            View code
          </Button>
          <Button icon="prompt" disabled={setup.system.trim() === ''} onClick={() => setShowing('save')}>
            Save as prompt
          </Button>
          <Button icon="plus" onClick={startAnew}>
            New
          </Button>
        </>
      }
    >
      <div className={styles.playground}>
        <SetupCard sides={sides} at={at} problems={problems} onAt={setAt} onChange={() => setRefusal(undefined)} />
        <div className={styles.talk} data-testid="talk">
          <div className={`${styles.panes} ${runs.length === 4 ? styles.four : ''}`} ref={panes}>
            {runs.map((run, side) => {
              const name = nameOfTarget(setups[side]?.target ?? EMPTY_SETUP.target);
              const isEmpty = run.pane.turns.length === 0 && !run.isRunning;
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: a pane is its place.
                <div key={side} className={`${styles.pane} ${isEmpty ? styles.emptyPane : ''}`} data-testid="pane">
                  {runs.length > 1 && <h2 className={`${styles.whose} breakable`}>{`${side + 1}. ${name}`}</h2>}
                  {isEmpty ? (
                    <EmptyState icon="chat" title="No messages yet">
                      {runs.length > 1
                        ? 'All panes receive the same message.'
                        : 'Choose a target and write a message below.'}
                    </EmptyState>
                  ) : (
                    <Transcript
                      label={runs.length > 1 ? `Responses of pane ${side + 1}, ${name}` : 'Responses'}
                      run={run}
                      onBranch={(turn) => void branch(turn)}
                    />
                  )}
                </div>
              );
            })}
          </div>
          {refusal && (
            <p className={fieldStyles.error} role="alert">
              <Icon name="warning" size={15} />
              {refusal}
            </p>
          )}
          <Composer
            isRunning={isRunning}
            onSend={send}
            onStop={() => {
              for (const run of runs) run.stop();
            }}
          />
        </div>
      </div>
      {showing === 'sessions' && (
        <SessionsDialog
          currentId={session?.id}
          onOpen={(id) => void open(id)}
          onChanged={(id, { name, isDeleted }) => {
            void keeper.renew();
            if (id !== session?.id) return;
            if (isDeleted) keeper.adopt(undefined, draft);
            else if (name) keeper.rename(name);
          }}
          onClose={() => setShowing(undefined)}
        />
      )}
      {showing === 'name' && (
        <NameDialog
          title="Save session"
          name={nameFor(draft)}
          action="Save"
          onSave={(name) => keeper.save(name)}
          onClose={() => setShowing(undefined)}
        />
      )}
      {showing === 'code' && (
        <CodeDialog
          request={buildRequest(setup, shown).request}
          serverTools={serverToolsOf(setup)}
          onClose={() => setShowing(undefined)}
        />
      )}
      {showing === 'save' && (
        <SaveDialog
          content={setup.system}
          name={setup.target.kind === 'prompt' ? setup.target.name : ''}
          onClose={() => setShowing(undefined)}
        />
      )}
    </Page>
  );
}

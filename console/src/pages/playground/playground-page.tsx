import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { CheckField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page } from '../../ui/page.tsx';
import { CodeDialog } from './code-dialog.tsx';
import { Composer } from './composer.tsx';
import { readDraft, useKeepDraft } from './draft.ts';
import { LibrarySwitch } from './library-switch.tsx';
import { PromptVariables } from './prompt-variables.tsx';
import { SaveDialog } from './save-dialog.tsx';
import { Settings } from './settings.tsx';
import { buildRequest, type Setup, type Target, type Turn } from './setup.ts';
import { TargetPicker } from './target-picker.tsx';
import { toConversation } from './to-conversation.ts';
import { Transcript } from './transcript.tsx';
import { useRun, withoutLastReply } from './use-run.ts';

const route = getRouteApi('/shell/playground');

export function PlaygroundPage() {
  const search = route.useSearch();
  // A link that names a target starts anew; otherwise the page is as it was left.
  const [kept] = useState(() => readDraft(search));
  const [setup, setSetup] = useState<Setup>(kept.setup);
  const [other, setOther] = useState<Target>(kept.other);
  const [comparing, setComparing] = useState(kept.comparing);
  const [showing, setShowing] = useState<'code' | 'save'>();
  const [tried, setTried] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const panes = useRef<HTMLDivElement>(null);
  const second = { ...setup, target: other };
  const left = useRun((turns) => requestOf(setup, turns), kept.panes[0]);
  const right = useRun((turns) => requestOf(second, turns), kept.panes[1]);
  useKeepDraft({ setup, other, comparing, panes: [left.pane, right.pane] });
  const runs = comparing ? [left, right] : [left];
  const change = (part: Partial<Setup>) => {
    setRefusal(undefined);
    setSetup((before) => ({ ...before, ...part }));
  };

  // Empty fields are reported only after the first attempt to send.
  const problems = tried ? buildRequest(setup, []).problems : {};
  const otherProblem = tried && comparing ? buildRequest(second, []).problems.target : undefined;

  const send = (text: string): boolean => {
    setTried(true);
    const wrong = [buildRequest(setup, []).problems, ...(comparing ? [buildRequest(second, []).problems] : [])];
    const found = wrong.flatMap((each) => Object.values(each));
    setRefusal(found[0]);
    if (found.length > 0) return false;
    for (const run of runs) void run.send(text);
    // On a narrow screen the responses are below the form.
    panes.current?.scrollIntoView({ block: 'nearest' });
    return true;
  };
  const stop = () => {
    for (const run of runs) run.stop();
  };
  const clear = () => {
    for (const run of runs) run.clear();
  };
  // A request ends with what the model is to answer.
  const asked = withoutLastReply(left.pane.turns);
  const shown: Turn[] = asked.length > 0 ? asked : [{ role: 'user', content: 'Hello!' }];
  return (
    <Page
      title="Playground"
      wide
      lead="Test a model, a prompt or an agent."
      actions={
        <>
          <Button icon="copy" onClick={() => setShowing('code')}>
            View code
          </Button>
          <Button icon="prompt" disabled={setup.system.trim() === ''} onClick={() => setShowing('save')}>
            Save as prompt
          </Button>
          <Button icon="trash" onClick={clear}>
            Clear
          </Button>
        </>
      }
    >
      <div className="playground">
        <Card title="Setup">
          <TargetPicker
            label="Target"
            target={setup.target}
            problem={problems.target}
            onChange={(target) => change({ target })}
          />
          <CheckField
            label="Compare with another target"
            checked={comparing}
            onChange={(event) => setComparing(event.target.checked)}
          />
          {comparing && (
            <div className="playground-other">
              <TargetPicker
                label="Compare with"
                target={other}
                problem={otherProblem}
                onChange={(target) => {
                  setRefusal(undefined);
                  setOther(target);
                }}
              />
            </div>
          )}
          {setup.target.kind === 'prompt' && (
            <PromptVariables
              target={setup.target}
              values={setup.variables}
              onChange={(variables) => change({ variables })}
            />
          )}
          {setup.target.kind === 'model' && (
            <LibrarySwitch chosen={setup.libraries} onChange={(libraries) => change({ libraries })} />
          )}
          <Settings setup={setup} problems={problems} isAgent={setup.target.kind === 'agent'} onChange={change} />
        </Card>
        <div className="playground-talk">
          <div className="playground-panes" ref={panes}>
            {runs.map((run, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: always left and right.
              <div key={at} className="playground-pane">
                {comparing && <h2 className="playground-whose breakable">{nameOf(at === 0 ? setup.target : other)}</h2>}
                {run.pane.turns.length === 0 && !run.isRunning ? (
                  <EmptyState icon="chat" title="No messages yet">
                    {comparing
                      ? 'Both receive the same message and settings.'
                      : 'Choose a target and write a message below.'}
                  </EmptyState>
                ) : (
                  <Transcript
                    label={comparing ? `Responses of ${nameOf(at === 0 ? setup.target : other)}` : 'Responses'}
                    run={run}
                  />
                )}
              </div>
            ))}
          </div>
          {refusal && (
            <p className="field-error" role="alert">
              <Icon name="warning" size={15} />
              {refusal}
            </p>
          )}
          <Composer isRunning={runs.some((run) => run.isRunning)} onSend={send} onStop={stop} />
        </div>
      </div>
      {showing === 'code' && (
        <CodeDialog
          request={buildRequest(setup, shown).request}
          libraries={librariesOf(setup)}
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

/** Agents and prompts have tools of their own. */
const librariesOf = ({ target, libraries }: Setup) => (target.kind === 'model' ? libraries : []);

function requestOf(setup: Setup, turns: readonly Turn[]) {
  const { request } = buildRequest(setup, turns);
  const libraries = librariesOf(setup);
  return libraries.length > 0 ? toConversation(request, libraries) : request;
}

function nameOf(target: Target): string {
  if (target.kind === 'prompt') return target.name === '' ? 'a prompt' : `${target.name} ${target.at || '(latest)'}`;
  return target.id === '' ? `${target.kind === 'agent' ? 'an agent' : 'a model'}` : target.id;
}

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
import { PromptVariables } from './prompt-variables.tsx';
import { SaveDialog } from './save-dialog.tsx';
import { Settings } from './settings.tsx';
import { buildRequest, EMPTY_SETUP, type Setup, type Target, type Turn } from './setup.ts';
import { TargetPicker } from './target-picker.tsx';
import { Transcript } from './transcript.tsx';
import { useRun } from './use-run.ts';

const route = getRouteApi('/shell/playground');

export function PlaygroundPage() {
  const search = route.useSearch();
  const [setup, setSetup] = useState<Setup>({ ...EMPTY_SETUP, target: search.target ?? EMPTY_SETUP.target });
  const [other, setOther] = useState<Target>(search.other ?? EMPTY_SETUP.target);
  const [comparing, setComparing] = useState(search.other !== undefined);
  const [showing, setShowing] = useState<'code' | 'save'>();
  const [tried, setTried] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const panes = useRef<HTMLDivElement>(null);
  const second = { ...setup, target: other };
  const left = useRun((turns) => buildRequest(setup, turns).request);
  const right = useRun((turns) => buildRequest(second, turns).request);
  const runs = comparing ? [left, right] : [left];
  const change = (part: Partial<Setup>) => setSetup((before) => ({ ...before, ...part }));

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
  const shown: Turn[] = left.pane.turns.length > 0 ? left.pane.turns : [{ role: 'user', content: 'Hello!' }];
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
              <TargetPicker label="Compare with" target={other} problem={otherProblem} onChange={setOther} />
            </div>
          )}
          {setup.target.kind === 'prompt' && (
            <PromptVariables
              target={setup.target}
              values={setup.variables}
              onChange={(variables) => change({ variables })}
            />
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
        <CodeDialog request={buildRequest(setup, shown).request} onClose={() => setShowing(undefined)} />
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

function nameOf(target: Target): string {
  if (target.kind === 'prompt') return target.name === '' ? 'a prompt' : `${target.name} ${target.at || '(latest)'}`;
  return target.id === '' ? `${target.kind === 'agent' ? 'an agent' : 'a model'}` : target.id;
}

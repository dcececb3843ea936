import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CheckField } from '../../ui/field.tsx';
import { Segments } from '../../ui/segments.tsx';
import { PromptVariables } from './prompt-variables.tsx';
import { Settings } from './settings.tsx';
import type { Problems } from './setup.ts';
import { TargetPicker } from './target-picker.tsx';
import { ToolSwitches } from './tool-switches.tsx';
import { SIDES_MAX, type Sides } from './use-sides.ts';

type Props = { sides: Sides; at: number; problems: Problems; onAt: (at: number) => void; onChange: () => void };

/** The settings of one side, and which sides there are. */
export function SetupCard({ sides, at, problems, onAt, onChange }: Props) {
  const { setups, isShared } = sides;
  const setup = setups[at] ?? setups[0];
  if (!setup) return null;
  const change: typeof sides.change = (side, part) => {
    onChange();
    sides.change(side, part);
  };
  const set = (part: Parameters<typeof change>[1]) => change(at, part);
  const isSeveral = setups.length > 1;
  return (
    <Card
      title="Setup"
      actions={
        <>
          {isSeveral && (
            <Button
              small
              look="quiet"
              icon="trash"
              iconOnly
              onClick={() => {
                sides.remove(at);
                onAt(0);
              }}
            >
              {`Remove pane ${at + 1}`}
            </Button>
          )}
          {setups.length < SIDES_MAX && (
            <Button
              small
              icon="plus"
              onClick={() => {
                sides.add();
                onAt(setups.length);
              }}
            >
              Compare
            </Button>
          )}
        </>
      }
    >
      {isSeveral && (
        <>
          <Segments
            label="Settings of"
            options={setups.map((_, side) => ({ value: String(side), label: `Pane ${side + 1}` }))}
            value={String(at)}
            onChange={(side) => onAt(Number(side))}
          />
          <CheckField
            label="Same settings for all panes"
            hint="Each pane has a target of its own in any case."
            checked={isShared}
            onChange={(event) => sides.setShared(event.target.checked)}
          />
        </>
      )}
      <TargetPicker
        label="Target"
        target={setup.target}
        problem={problems.target}
        onChange={(target) => set({ target })}
      />
      {setup.target.kind === 'prompt' && (
        <PromptVariables target={setup.target} values={setup.variables} onChange={(variables) => set({ variables })} />
      )}
      <Settings setup={setup} problems={problems} isAgent={setup.target.kind === 'agent'} onChange={set} />
      {setup.target.kind === 'model' && <ToolSwitches setup={setup} onChange={set} />}
    </Card>
  );
}

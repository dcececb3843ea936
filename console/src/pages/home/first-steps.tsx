import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { isOrganizationAdmin, type Session, useSession } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Icon } from '../../ui/icon.tsx';
import { healthQuery } from './queries.ts';

type Step = { id: string; title: string; text: string; to: string; action: string; done?: boolean | undefined };

/** What to do first. Some steps tick themselves off; each can be ticked by hand, and this browser remembers it. */
export function FirstSteps() {
  const session = useSession();
  const key = `tramontane.first-steps.${session.user.id}`;
  const [ticked, setTicked] = useState<string[]>(() => JSON.parse(localStorage.getItem(key) ?? '[]') as string[]);
  const steps = useSteps(session);
  const isDone = (step: Step) => step.done === true || ticked.includes(step.id);
  const remember = (next: string[]) => {
    localStorage.setItem(key, JSON.stringify(next));
    setTicked(next);
  };
  const toggle = (id: string) => remember(ticked.includes(id) ? ticked.filter((one) => one !== id) : [...ticked, id]);
  const left = steps.filter((step) => !isDone(step)).length;
  if (left === 0) {
    return (
      <Card title="First steps">
        <div className="row row-between">
          <span className="row">
            <Icon name="check" /> All done.
          </span>
          <Button small onClick={() => remember([])}>
            Show them again
          </Button>
        </div>
      </Card>
    );
  }
  return (
    <Card title="First steps" flush actions={<span className="small muted">{left} to do</span>}>
      <ol className="steps">
        {steps.map((step) => (
          <li key={step.id} className={isDone(step) ? 'step step-done' : 'step'}>
            <input
              type="checkbox"
              aria-label={`Done: ${step.title}`}
              checked={isDone(step)}
              disabled={step.done === true}
              onChange={() => toggle(step.id)}
            />
            <div className="grow">
              <div className="step-title">{step.title}</div>
              <div className="muted">{step.text}</div>
            </div>
            <Link className="button button-small" to={step.to}>
              {step.action}
            </Link>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function useSteps(session: Session): Step[] {
  const { data: health } = useQuery(healthQuery);
  const { data: prompts } = useQuery({
    queryKey: ['home', 'any-prompt'],
    queryFn: () => api.get<{ data?: unknown[]; prompts?: unknown[] }>('/v2/prompts', { query: { pageSize: 1 } }),
    retry: false,
  });
  const { data: keys } = useQuery({
    queryKey: ['home', 'keys'],
    queryFn: () => api.get<{ keys: unknown[] }>('/console/api/keys'),
    retry: false,
  });
  const steps: (Step | false)[] = [
    {
      id: 'model',
      title: 'Have a model that answers',
      text: 'Fetch open weights, or point the configuration at a server you have.',
      to: '/models',
      action: 'Models',
      done: health?.models.some(({ state }) => state === 'ready'),
    },
    {
      id: 'playground',
      title: 'Talk to it',
      text: 'Try texts and settings, compare two models side by side.',
      to: '/playground',
      action: 'Playground',
    },
    {
      id: 'key',
      title: 'Call it from your program',
      text: 'Make an API key; the official Mistral SDKs work unchanged.',
      to: '/organization/api-keys',
      action: 'API keys',
      // The first start made one already.
      done: keys && keys.keys.length > 1,
    },
    {
      id: 'prompt',
      title: 'Keep a prompt with versions',
      text: 'Name it, change it safely, and move “production” with one click.',
      to: '/prompts',
      action: 'Prompts',
      done: prompts && Object.values(prompts).some((value) => Array.isArray(value) && value.length > 0),
    },
    isOrganizationAdmin(session) && {
      id: 'people',
      title: 'Invite your colleagues',
      text: 'With a role each, by mail or with a link that you hand over.',
      to: '/organization',
      action: 'Members',
    },
  ];
  return steps.filter((step) => step !== false);
}

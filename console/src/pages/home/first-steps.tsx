import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { isOrganizationAdmin, type Session, useSession } from '../../api/session.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Icon } from '../../ui/icon.tsx';
import styles from './home.module.css';
import { healthQuery } from './queries.ts';

type Step = { id: string; title: string; text: string; to: string; action: string; done?: boolean | undefined };

/** Some steps complete themselves; manual ticks are kept in this browser. */
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
            Show again
          </Button>
        </div>
      </Card>
    );
  }
  return (
    <Card title="First steps" flush actions={<span className="small muted">{left} to do</span>}>
      <ol>
        {steps.map((step) => (
          <li key={step.id} className={isDone(step) ? `${styles.step} ${styles.stepDone}` : styles.step}>
            <input
              type="checkbox"
              aria-label={`Done: ${step.title}`}
              checked={isDone(step)}
              disabled={step.done === true}
              onChange={() => toggle(step.id)}
            />
            <div className="grow">
              <div className={styles.stepTitle}>{step.title}</div>
              <div className="muted">{step.text}</div>
            </div>
            <Link className={buttonClass({ small: true })} to={step.to}>
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
      title: 'Set up a model',
      text: 'Download open weights, or add a model server.',
      to: '/models',
      action: 'Models',
      done: health?.models.some(({ state }) => state === 'ready'),
    },
    {
      id: 'playground',
      title: 'Try it in the playground',
      text: 'Test prompts and settings, compare models side by side.',
      to: '/playground',
      action: 'Playground',
    },
    {
      id: 'key',
      title: 'Call it from your code',
      text: 'Create an API key; the official Mistral SDKs work unchanged.',
      to: '/organization/api-keys',
      action: 'API keys',
      // The first start already created one key.
      done: keys && keys.keys.length > 1,
    },
    {
      id: 'prompt',
      title: 'Version your prompts',
      text: 'Name a prompt, edit it safely, and move “production” with one click.',
      to: '/prompts',
      action: 'Prompts',
      done: prompts && Object.values(prompts).some((value) => Array.isArray(value) && value.length > 0),
    },
    isOrganizationAdmin(session) && {
      id: 'people',
      title: 'Invite your colleagues',
      text: 'Give each a role; invite by e-mail or with a link.',
      to: '/organization',
      action: 'Members',
    },
  ];
  return steps.filter((step) => step !== false);
}

import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/api.ts';
import { signIn } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { TextField } from '../../ui/field.tsx';
import { formatDuration } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { Frame } from './frame.tsx';
import { describeProblem } from './problems.ts';
import { MailedJoin, ProviderButtons } from './provider-buttons.tsx';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { to, expired, problem } = route.useSearch();
  const router = useRouter();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [asksCode, setAsksCode] = useState(false);
  const attempt = useMutation({
    mutationFn: () => signIn(email, password, code),
    onError: (error) => setAsksCode((asked) => asked || isCodeRequired(error)),
    onSuccess: () => router.history.push(router.basepath + (to ?? '/')),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    attempt.mutate();
  };
  return (
    <Frame title="Sign in" lead="Use the e-mail and password of your account.">
      {expired && <Notice>Your session ended. Sign in to continue where you left off.</Notice>}
      {problem && <Notice tone="warning">{describeProblem(problem)}</Notice>}
      {problem === 'not_joined' && <MailedJoin />}
      <form className="stack" onSubmit={submit}>
        <TextField
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <TextField
          label="Password"
          type="password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        {asksCode && (
          <TextField
            label="Code"
            name="code"
            autoComplete="one-time-code"
            hint="Of your authenticator app, or a recovery code."
            required
            autoFocus
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        )}
        {!isCodeRequired(attempt.error) && <ErrorNotice error={attempt.error} advice={adviceFor(attempt.error)} />}
        <Button type="submit" look="primary" busy={attempt.isPending}>
          Sign in
        </Button>
      </form>
      <ProviderButtons to={to ?? '/'} />
      <p className="small muted">
        No password yet? Open the link printed at the first start of the server, or the one in your invitation. The
        operator can create a new link with <code>npx tramontane users link</code>.
      </p>
    </Frame>
  );
}

/** The password was right; this is no failure. */
function isCodeRequired(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'second_factor_required';
}

/** The message must not reveal which accounts exist. */
function adviceFor(error: unknown): string {
  const wait = error instanceof ApiError ? error.retryAfterSeconds : undefined;
  return wait ? `Try again in ${formatDuration(wait * 1000)}.` : 'Check both and try again.';
}

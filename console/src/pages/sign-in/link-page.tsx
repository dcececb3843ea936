import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { ConsoleLink } from '../../../../src/console/schema/session.ts';
import { ApiError, api } from '../../api/api.ts';
import { begin, type Session, sessionQuery } from '../../api/session.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { TextField } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ConsentForm } from './consent-form.tsx';
import { Frame } from './frame.tsx';
import { StartButtons } from './provider-buttons.tsx';

const route = getRouteApi('/link/$token');
const passwordCharactersMin = 12;

const words = {
  first_sign_in: { title: 'Welcome', lead: 'Choose a password for signing in.' },
  invitation: { title: 'Accept the invitation', lead: 'Choose a password to join.' },
  password_reset: { title: 'Choose a new password', lead: 'It replaces the old one.' },
  join_provider: { title: 'Join a provider', lead: 'From then on you can sign in with it too.' },
} as const;

/** One-time links: first sign-in, invitation, password reset, joining a provider. */
export function LinkPage() {
  const { token } = route.useParams();
  const router = useRouter();
  const path = `/console/api/links/${encodeURIComponent(token)}`;
  const [password, setPassword] = useState('');
  const [name, setName] = useState('');
  const [code, setCode] = useState('');
  const [asksCode, setAsksCode] = useState(false);
  const use = useMutation({
    mutationFn: () =>
      api.post<Session>(path, {
        password,
        ...(name.trim() ? { name: name.trim() } : {}),
        ...(code.trim() ? { code: code.trim() } : {}),
      }),
    onError: (error) =>
      setAsksCode((asked) => asked || (error instanceof ApiError && error.code === 'second_factor_required')),
    onSuccess: (session) => {
      begin(session);
      router.history.push(router.basepath);
    },
  });
  const opened = useQuery({
    queryKey: ['link', token],
    queryFn: () => api.get<ConsoleLink>(path),
    staleTime: Number.POSITIVE_INFINITY,
    // A used link cannot be read again, and signing in clears the cache.
    enabled: use.isIdle || use.isError,
  });
  const isForAccount = opened.data?.purpose === 'invitation' && opened.data.has_account;
  const session = useQuery({ ...sessionQuery, enabled: isForAccount });
  if (opened.isPending || (isForAccount && session.isPending)) {
    return (
      <Frame title="Loading">
        <Skeleton lines={4} label="Loading link" />
      </Frame>
    );
  }
  if (opened.isError) {
    return (
      <Frame title="This link is not valid" lead="It was already used, has expired, or was replaced by a newer one.">
        <ErrorNotice error={opened.error} advice="" />
        <Link to="/sign-in" search={{}} className={buttonClass({ look: 'primary' })}>
          Go to sign-in
        </Link>
      </Frame>
    );
  }
  const { purpose: kind, email, organization, has_account, providers } = opened.data;
  const own = session.data?.user.email.toLowerCase() === email.toLowerCase() ? session.data : undefined;
  // A session of a provider joins no other organization: the password does.
  if (isForAccount && own?.permissions.includes('console:join')) {
    return (
      <Frame title={words.invitation.title} lead={organization?.name}>
        <ConsentForm path={path} email={email} />
      </Frame>
    );
  }
  const knownPassword = (kind === 'invitation' && has_account) || kind === 'join_provider';
  const [provider] = providers;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    use.mutate();
  };
  return (
    <Frame
      title={kind === 'join_provider' && provider ? `Join ${provider.name}` : words[kind].title}
      lead={[
        organization?.name,
        knownPassword && kind === 'invitation' ? 'Sign in to your account to join.' : words[kind].lead,
      ]
        .filter(Boolean)
        .join(' · ')}
    >
      <form className="stack" onSubmit={submit}>
        <TextField label="E-mail" type="email" autoComplete="username" readOnly value={email} />
        {kind !== 'password_reset' && !knownPassword && (
          <TextField
            label="Your name"
            autoComplete="name"
            {...(kind === 'invitation' ? { required: true } : { hint: 'Optional.' })}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
        <TextField
          label="Password"
          type="password"
          autoComplete={knownPassword ? 'current-password' : 'new-password'}
          required
          minLength={passwordCharactersMin}
          hint={knownPassword ? 'The password of your account.' : `At least ${passwordCharactersMin} characters.`}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        {asksCode && (
          <TextField
            label="Code"
            autoComplete="one-time-code"
            hint="Of your authenticator app, or a recovery code."
            required
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        )}
        <ErrorNotice error={use.error} />
        <Button type="submit" look="primary" busy={use.isPending}>
          {kind === 'invitation' || kind === 'join_provider' ? 'Join' : 'Save and sign in'}
        </Button>
      </form>
      {kind === 'invitation' && <StartButtons providers={providers} label="Join with" start={{ invitation: token }} />}
    </Frame>
  );
}

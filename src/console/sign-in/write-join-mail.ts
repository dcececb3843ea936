import type { Mail } from '../../kit/mail/index.ts';

/** To the address of an account, for a sign-in that wants to be joined to it. */
export function writeJoinMail({ email, provider, url }: { email: string; provider: string; url: string }): Mail {
  const text = [
    `A sign-in with ${provider} asks to be joined to your account (${email}).`,
    `If that was you, open this link in the same browser. It asks for your password, and for a code if you have a second factor:\n${url}`,
    'The link works once, within the hour. If that was not you, ignore this mail: nothing changes.',
  ].join('\n\n');
  return { to: email, subject: `Join ${provider} to your account`, text: `${text}\n` };
}

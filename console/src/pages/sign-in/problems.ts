const words = {
  expired: 'The sign-in took too long or was begun in another browser. Try again.',
  refused: 'The provider did not confirm who you are. Try again, or ask the operator to look at the log.',
  not_joined:
    'No account here is joined to yours at the provider. If you have an account here, sign in with your password and join the provider on your account page. If you have none, open the link of your invitation, or ask an admin of your organization for one.',
  taken: 'Your account at the provider is joined to another account here.',
  too_many: 'Too many sign-ins from your network have failed. Try again in a quarter of an hour.',
  no_organization:
    'Your account does not belong to the organization of this provider. Ask an admin of it for an invitation, or sign in with your password.',
  no_home: 'The operator has to say in the configuration to which organization this provider belongs.',
  invitation_over: 'The invitation was accepted, withdrawn or renewed, or has expired. Ask for a new one.',
} as const;

export type SignInProblem = keyof typeof words;

/** Of the address to which a provider sends the browser back. */
export function readProblem(search: Record<string, unknown>): { problem?: SignInProblem } {
  const { problem } = search;
  return typeof problem === 'string' && Object.hasOwn(words, problem) ? { problem: problem as SignInProblem } : {};
}

export function describeProblem(problem: SignInProblem): string {
  return words[problem];
}

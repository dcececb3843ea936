const words = {
  expired: 'The sign-in took too long or was begun in another browser. Try again.',
  refused: 'The provider did not confirm who you are. Try again, or ask the operator to look at the log.',
  not_joined:
    'No account here is joined to yours at the provider. Sign in with your password and join it on your account page.',
  taken: 'Your account at the provider is joined to another account here.',
  too_many: 'Too many sign-ins from your network have failed. Try again in a quarter of an hour.',
  no_organization: 'You belong to no organization here. Ask an admin of yours to add you.',
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

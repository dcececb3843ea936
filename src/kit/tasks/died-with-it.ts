/** What users read about work that was quarantined. */
export const DIED_WITH_IT =
  'The server stopped each time it worked on this. Try again, or ask the operator for the cause.';

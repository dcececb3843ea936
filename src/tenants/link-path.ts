/** The page of the console that one-time links and invitations open. */
export const LINK_PATH = '/console/link/';

/**
 * What an operator may allow a model server to be: this machine and private networks. Link-local addresses are left out,
 * because clouds serve the credentials of a machine there.
 */
export const PRIVATE_NETWORKS: readonly string[] = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '::1/128',
  'fc00::/7',
];

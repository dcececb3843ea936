export type MutatedRoom = {
  folder: string;
  /** Patterns of files in the folder of which every mutant is tried: what decides about access. Of the others it is a sample. */
  whole: readonly string[];
  /** The tests that know the rules of the room, the quick ones first. */
  tests: readonly string[];
};

export const mutatedRooms: Readonly<Record<string, MutatedRoom>> = {
  tenants: {
    folder: 'src/tenants',
    whole: [
      'authenticate/*.ts',
      '{caller,choose-key-owner,holder-of,make-key,permissions,place-person,resolve-roles,tenant-of}.ts',
      'sign-in/{device-token,session-token}.ts',
    ],
    tests: [
      'src/tenants/**/*.test.ts',
      'src/admin/routes/*.test.ts',
      'src/console/{account,consent,finding,session}.test.ts',
      'src/console/{mailed-joins,provider-*,providers}.test.ts',
    ],
  },
  metering: {
    folder: 'src/metering',
    whole: ['refuse-request.ts', 'service/{admission,budgets,storage}.ts'],
    tests: ['src/metering/**/*.test.ts', 'test/billing/*.test.ts'],
  },
  // One of its mutants survives: for the test of this folder.
  planted: {
    folder: 'quality/mutate/planted',
    whole: ['*.ts'],
    tests: ['quality/mutate/planted/*.test.ts'],
  },
};

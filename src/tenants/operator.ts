/** The person at the machine: whoever can open the database needs no key to administer it. */
export const OPERATOR = { type: 'OTHER', metadata: { name: 'operator' } } as const;

import { z } from 'zod';

/** How many of these one organization may have at the same time; default: all but one. */
export const PerOrganization = z.int().min(1).optional();

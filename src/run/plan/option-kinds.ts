import { z } from 'zod';
import { headerFault } from '../../units/http.js';

export const valued = (flag: string, placeholder: string, help: string) => ({ flag, placeholder, help });

/** An option without a value, off by default. */
export const switchOf = (flag: string, help: string) => z.boolean().default(false).meta({ flag, help });

const bearerToken = z
  .string()
  .min(1)
  .refine((token) => headerFault('authorization', token) === undefined, 'expected Latin-1 text in one line');

/** A token that is sent as a header and never shown. */
export const secretOf = (flag: string, help: string) =>
  bearerToken.optional().meta({ ...valued(flag, 'secret', help), isSecret: true });

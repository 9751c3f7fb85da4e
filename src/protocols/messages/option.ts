import { z } from 'zod';
import { objectIn } from '../../units/json-text.js';

/** Messages of a user's server, in every protocol that takes some. */
export const messagesOption = z
  .string()
  .refine((json) => objectIn(json) !== undefined, 'expected a JSON object')
  .optional()
  .meta({
    flag: 'messages',
    placeholder: 'json',
    help: 'messages of your server, as under `messages` of a target file',
  });

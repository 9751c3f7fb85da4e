import { z } from 'zod';
import { parseHeaders } from '../units/headers.js';

/** Options that clients of every protocol take. A new one needs its field here and its use in `upgradeTo`. */
export const clientOptions = z.strictObject({
  headers: z
    .array(z.string())
    .check(({ value, issues }) => {
      for (const message of parseHeaders(value).errors) issues.push({ code: 'custom', input: value, message });
    })
    .optional()
    .meta({
      flag: 'header',
      placeholder: 'name: value',
      separator: '\n',
      isSecret: true,
      shown: (lines: string[]) => ({ upgradeHeaders: Object.keys(parseHeaders(lines).headers).join(', ') }),
      help: 'header of each client’s upgrade, `{client}` being its number; repeatable',
    }),
});

/** Where clients of both kinds connect and what their upgrade carries, given checked values of `clientOptions`. */
export function upgradeTo(
  address: URL,
  options: Readonly<Record<string, unknown>>,
): { url: string; headers: Record<string, string> } {
  const { headers = [] } = options as z.output<typeof clientOptions>;
  return { url: address.href, headers: parseHeaders(headers).headers };
}

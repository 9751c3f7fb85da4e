import { z } from 'zod';
import { headerFault } from '../../units/http.js';
import { slotsIn } from '../../units/slots.js';
import { objectIn } from '../../units/text.js';

/** A value that a login gives: part of the JSON answer by the path of its keys, or the cookies that were set. */
export type Taken = string | true;

/** The slot for the cookies from a login. */
const cookieSlot = 'cookie';

const slotName = z.string().regex(/^[A-Za-z_]\w*$/, 'expected slots of letters, digits and underscores in `take`');
const path = z.string().regex(/^[^.]+(\.[^.]+)*$/, 'expected a key of the answer in `take`, or keys with dots between');

const shape = z.strictObject(
  {
    /** An `http(s)://` address, or a path of the target. */
    post: z
      .string('expected an address in `post`')
      .refine((text) => text.startsWith('/') || /^https?:$/.test(URL.parse(text)?.protocol ?? ''), {
        error: 'expected an http:// or https:// address in `post`, or a path of the target',
      }),
    json: z.unknown().optional(),
    form: z.record(z.string(), z.coerce.string(), 'expected a map of texts in `form`').optional(),
    body: z.string('expected text in `body`').optional(),
    headers: z.record(z.string(), z.string('expected texts in `headers`'), 'expected a map in `headers`').default({}),
    take: z.union(
      [
        path,
        z.record(slotName, z.union([path, z.literal(true)])).refine((map) => Object.keys(map).length > 0, {
          error: 'expected at least one slot in `take`',
        }),
      ],
      'expected a key of the answer in `take`, or a map of slots to keys, with `cookie: true` for cookies',
    ),
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? 'expected post, json, form, body, headers and take alone' : undefined,
  },
);

/** Describes how a client logs in. Slots in all of it are replaced by values of the client. */
export interface Login extends Omit<z.output<typeof shape>, 'take'> {
  /** Values by slot. */
  take: Readonly<Record<string, Taken>>;
}

/** Reads the login of a JSON text. Returns all its faults if it has any, without a value of it. */
export function readLogin(text: string): { login: Login } | { faults: string[] } {
  const parsed = shape.safeParse(objectIn(text));
  if (!parsed.success) {
    const messages = parsed.error.issues.map(({ message }) =>
      message.startsWith('expected') ? message : 'expected a JSON object with `post` and `take`',
    );
    return { faults: [...new Set(messages)] };
  }
  const { take, ...rest } = parsed.data;
  const bodies = [rest.json, rest.form, rest.body].filter((each) => each !== undefined);
  const taken = typeof take === 'string' ? { [take.split('.').at(-1) as string]: take } : take;
  const faults = [
    ...(bodies.length > 1 ? ['expected one of json, form and body'] : []),
    ...Object.entries(rest.headers).flatMap(([name, value]) => headerFault(name, value) ?? []),
    ...Object.entries(taken).flatMap(([name, from]) =>
      (from === true) === (name === cookieSlot)
        ? []
        : [`expected \`${cookieSlot}: true\` in \`take\` for cookies alone`],
    ),
    ...(Object.keys(taken).every((name) => slotName.safeParse(name).success)
      ? []
      : ['expected a map in `take` for a key that is no name of a slot']),
  ];
  return faults.length > 0 ? { faults } : { login: { ...rest, take: taken } };
}

export function slotsOfLogin({ take: _take, ...asked }: Login): string[] {
  return slotsIn(textsIn(asked).join('\n'));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

import { z } from 'zod';
import { type Description, posted } from '../messages/description.js';
import { type DescriptionFault, descriptionFaults, shapeFaults } from '../messages/faults.js';
import type { Dialect } from './options.js';

const emit = z.tuple([z.string().min(1)], z.unknown(), 'expected a list: the name of an event, then its arguments');

/** The events of a user's Socket.IO server, as a target file has them under `messages`. */
export const events = z.strictObject({
  /** The acknowledgement confirms, unless a message with that text does. */
  subscribe: z.strictObject({ emit, confirmed: z.string().min(1).optional() }).optional(),
  /** `acked`: the server acknowledges it. */
  publish: z.union([z.strictObject({ emit, acked: z.boolean().optional() }), posted]).optional(),
  /** The acknowledgement answers, unless the data comes back in an event. */
  echo: z.strictObject({ emit, comesBack: z.boolean().optional() }).optional(),
  whisper: z.strictObject({ emit }).optional(),
});

/** Its frames: Socket.IO 5 over Engine.IO 4. A number of a send is the id of its acknowledgement. */
export function framesOf(
  { subscribe, publish, echo, whisper }: z.output<typeof events>,
  dialect: Dialect,
): Description {
  const place = dialect.namespace === '/' ? '' : `${dialect.namespace},`;
  const frame = (id: string, list: readonly unknown[]): string => `42${place}${id}${JSON.stringify(list)}`;
  const sentBy = (by: { emit: readonly unknown[]; acked?: boolean | undefined }): Description['publish'] =>
    by.acked ? { send: frame('{n}', by.emit), acked: `43${place}{n}` } : { send: frame('', by.emit) };
  return {
    hello: `40${place}${dialect.auth ?? ''}`,
    ready: `40${place}{"sid"`,
    refused: `44${place}{`,
    heartbeat: { received: '2', send: '3' },
    ...(subscribe && {
      subscribe: {
        send: frame(subscribe.confirmed === undefined ? '0' : '', subscribe.emit),
        confirmed: subscribe.confirmed ?? `43${place}0[`,
      },
    }),
    ...(publish && { publish: 'post' in publish ? publish : sentBy(publish) }),
    ...(echo && {
      echo: echo.comesBack ? { send: frame('', echo.emit) } : { send: frame('{n}', echo.emit), match: `43${place}{n}` },
    }),
    ...(whisper && { whisper: { send: frame('', whisper.emit) } }),
  };
}

/** What is wrong with the events of a user's server. */
export function eventFaults(
  value: unknown,
  dialect: Dialect,
  slots: readonly string[] | undefined,
): DescriptionFault[] {
  const read = events.safeParse(value);
  return read.success ? descriptionFaults(framesOf(read.data, dialect), slots) : shapeFaults(read.error.issues, value);
}

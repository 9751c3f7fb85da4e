import { z } from 'zod';

/** Where a metronome tells what it did. All but `connections` take `from` (a sequence number, 0 by default) and `stream` (all by default). */
export const recordPaths = {
  /** `GET` answers `metronomeRecord`. */
  summary: '/_record',
  /** `GET` answers a sample body: the delays in microseconds that the orders made of each delivery, first copies alone. */
  asked: '/_record/asked',
  /** `GET` answers a sample body: those that the same deliveries had, by the stamps of their writes. */
  done: '/_record/done',
  /** `GET` answers a body of counts: sequence number and done delay in microseconds of each of them, one pair behind the other. */
  writes: '/_record/writes',
  /** `GET` answers `metronomeConnections`. */
  connections: '/_record/connections',
} as const;

const many = z.int().nonnegative();

/** What became of deliveries: `owed` = `delivered` + `dropped` + `gone` + `pending`. */
const counts = {
  /** Subscribers of the stream when the publish was taken. */
  owed: many,
  /** First copies that were written. */
  delivered: many,
  /** Left out by order. */
  dropped: many,
  /** Not written because the connection was closed first. */
  gone: many,
  /** Not yet written. */
  pending: many,
  /** Second copies that were written. */
  duplicated: many,
  /** Written behind the next delivery to the same connection, by order. */
  reordered: many,
  /** Held back to be reordered, and written in order because no next one came. */
  unswapped: many,
  /** Written in pieces. */
  trickled: many,
  /** Handed over while the kernel's buffer of the connection was full: those left later than their stamp says. */
  backlogged: many,
};

const recordedBroadcast = z.object({
  /** Out of the payload's marker; of a payload without one, how many broadcasts its stream had before. */
  sequence: many,
  stream: z.string(),
  /** When the first bytes of the publish were read, before they were parsed; nanoseconds of CLOCK_MONOTONIC. */
  receivedAtNs: many,
  /** How much earlier than that they can have been readable, while the metronome did something else. */
  unreadAtMostNs: many,
  /** What the publish was answered. */
  status: z.union([z.literal(201), z.literal(503)]),
  ...counts,
});

/** What a metronome did, broadcast by broadcast. */
export const metronomeRecord = z.object({
  totals: z.object({
    /** Publishes answered 201. */
    broadcasts: many,
    ...counts,
    refusedPublishes: many,
    /** Upgrades answered 503 since the start, whatever `from` and `stream` say. */
    refusedConnections: many,
    /** Whether everything was kept: false once a bound of the record was passed. */
    isWhole: z.boolean(),
  }),
  broadcasts: z.array(recordedBroadcast),
});

export type MetronomeRecord = z.output<typeof metronomeRecord>;
export type RecordedBroadcast = z.output<typeof recordedBroadcast>;

/** To whom a metronome did what: every connection in the order of its upgrade, closed ones included, with sequence numbers. */
export const metronomeConnections = z.array(
  z.object({
    index: many,
    /** Address and port of the other end. */
    peer: z.string(),
    isOpen: z.boolean(),
    /** Every stream that it ever subscribed to. */
    streams: z.array(z.string()),
    dropped: z.array(many),
    duplicated: z.array(many),
    reordered: z.array(many),
  }),
);

export type MetronomeConnections = z.output<typeof metronomeConnections>;

import { z } from 'zod';

/** Paths of a metronome's record, optionally `from` a sequence number on and of one `stream`. */
export const recordPaths = {
  summary: '/_record',
  /** `GET` answers a sample body: the ordered delay of each delivery in microseconds, without second copies. */
  asked: '/_record/asked',
  /** `GET` answers a sample body: the delays of the same deliveries, by the stamps of their writes. */
  done: '/_record/done',
  /** `GET` answers a body of counts: pairs of sequence number and done delay in microseconds. */
  writes: '/_record/writes',
  connections: '/_record/connections',
} as const;

const many = z.int().nonnegative();

/** Counts the fates of deliveries: `owed` = `delivered` + `dropped` + `gone` + `pending`. */
const counts = {
  /** Subscribers of the stream when the publish was taken. */
  owed: many,
  /** First copies that were written. */
  delivered: many,
  /** Left out on command. */
  dropped: many,
  /** Not written because the connection was closed first. */
  gone: many,
  pending: many,
  /** Second copies that were written. */
  duplicated: many,
  /** Written after the next delivery to the same connection, on command. */
  reordered: many,
  /** Kept for reordering, and written in order because no next one came. */
  unswapped: many,
  /** Written while the kernel's buffer was full, so they left later than their stamp says. */
  backlogged: many,
};

export const recordedCounts = Object.keys(counts) as (keyof typeof counts)[];

const recordedBroadcast = z.object({
  /** From the payload's marker. Without one, the number of earlier broadcasts of its stream. */
  sequence: many,
  stream: z.string(),
  /** Time at which the first bytes of the publish were read, in nanoseconds of CLOCK_MONOTONIC. */
  receivedAtNs: many,
  status: z.union([z.literal(201), z.literal(503)]),
  ...counts,
});

/** Records the work of a metronome, broadcast by broadcast. */
export const metronomeRecord = z.object({
  totals: z.object({
    /** Publishes answered 201. */
    broadcasts: many,
    ...counts,
    refusedPublishes: many,
    /** Upgrades answered 503 since the start. */
    refusedConnections: many,
    /** False once the record was full. */
    isWhole: z.boolean(),
  }),
  broadcasts: z.array(recordedBroadcast),
});

export type MetronomeRecord = z.output<typeof metronomeRecord>;
export type RecordedBroadcast = z.output<typeof recordedBroadcast>;

/** Every connection in the order of its upgrade, closed ones included, and the sequence numbers of its faults. */
export const metronomeConnections = z.array(
  z.object({
    index: many,
    /** Address and port of the other end. */
    peer: z.string(),
    isOpen: z.boolean(),
    streams: z.array(z.string()),
    dropped: z.array(many),
    duplicated: z.array(many),
    reordered: z.array(many),
  }),
);

export type MetronomeConnections = z.output<typeof metronomeConnections>;

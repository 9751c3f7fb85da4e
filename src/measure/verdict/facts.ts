/** What the verdict is drawn from: plain facts of a run, all shards together. Times in milliseconds, latencies in microseconds. */
export interface RunFacts {
  /** The stop reason's title when the run did not go to its planned end. */
  cutShortBy: string | undefined;
  plannedMs: number;
  elapsedMs: number;
  offeredPerSecond: number | null;
  achievedPerSecond: number | null;
  ledgerBreaks: readonly string[];
  ledger: Readonly<Record<string, number>>;
  metrics: Readonly<Record<string, { count: number; p50: number | null; p99: number | null; max: number | null }>>;
  clockFaults: number;
  /** Metrics that a loop stamps without a bracket, and whether that loop holds subscribers. */
  stampedBy: Readonly<Record<string, 'audience' | 'publisher'>>;
  /** How far off the p99 was when a load no harder than this was held against known truth and found wrong; null where none was. */
  calibratedErrorUs: number | null;
  shards: readonly ShardFacts[];
}

export interface ShardFacts {
  label: string;
  asked: number;
  ready: number;
  /** Clients that the target itself turned away: by HTTP status, close code, or a word of its protocol. */
  refused: number;
  published: number;
  received: number;
  descriptorsUsed: number | null;
  descriptorLimit: number | null;
  /** The clock of its stamps, and the one that it named before the job; null where it was not asked. */
  clockId: string;
  clockIdBefore: string | null;
  /** Busy share of each core of its machine, whoever used it; empty where the system does not tell. */
  coreBusy: readonly number[];
  /** TCP sockets of its machine in TIME_WAIT, beside the ports that all its source addresses have together. */
  timeWait: number | null;
  sourcePorts: number | null;
  workers: readonly WorkerFacts[];
}

export interface WorkerFacts {
  label: string;
  holdsSubscribers: boolean;
  loopDelayP99Ms: number;
  loopDelayMaxMs: number;
  utilization: number;
  runQueueWaitMs: number | null;
  windowMs: number;
  gcMaxMs: number;
}

/** One thing that can speak against a run. `check` gives the evidence, with the figures, or nothing. */
export interface VerdictRule {
  rule: string;
  level: 'limited' | 'void';
  /** From where on it speaks. */
  threshold: string;
  /** Why the threshold stands there. */
  reason: string;
  check(facts: RunFacts): string | undefined;
}

import type { StageSpec } from '../measure/declaration.js';
import { breaksOf, kindsOf, ledgerSum } from '../measure/ledger.js';
import { notZero, readerOf } from './books/ledger.js';
import { ofTarget } from './metrics.js';
import type { Scenario } from './scenario.js';

/** Runs before all stages if clients log in. No gate opens it: all shards wait behind it. */
export const loginStage: StageSpec = { name: 'login', summary: 'clients log in, as fast as the target takes it' };

/** The gate of a first stage that has none of its own. */
export const loginGate = 'loggedIn';

const loginSum = ledgerSum(['loginsAsked', 'logins'], { loggedIn: 'logged in', loginsFailed: 'failed' });

/** Adds logins to a scenario: one metric, and a sum of the ledger, in runs that have logins. */
export function withLogins(scenario: Scenario): Scenario {
  const { books, metrics } = scenario;
  const kinds = kindsOf({ given: ['loginsAsked'], merit: ['loggedIn'], fault: ['loginsFailed'] });
  return {
    ...scenario,
    metrics: {
      ...metrics,
      login: ofTarget('from a client’s login request to the end of its answer', { isOptional: true }),
    },
    books: { kinds: { ...books.kinds, ...kinds }, sums: [...books.sums, loginSum] },
    ledger(sums) {
      const ledger = scenario.ledger(sums);
      const { loginsAsked, loggedIn = 0, loginsFailed = 0 } = sums.counts;
      if (loginsAsked === undefined) return ledger;
      const entries = { loginsAsked, loggedIn, loginsFailed, loginsFailedByCause: notZero(sums.causes.login ?? {}) };
      return {
        ...ledger,
        entries: { ...ledger.entries, ...entries },
        breaks: [...ledger.breaks, ...breaksOf({ kinds, sums: [loginSum] }, entries)],
      };
    },
    ledgerLines(entries) {
      const lines = scenario.ledgerLines(entries);
      if (!('loginsAsked' in entries)) return lines;
      const { of, parts } = readerOf(entries);
      const sum = parts(loginSum, { loginsFailed: 'loginsFailedByCause' });
      return [['logins', `${of('loginsAsked')} asked = ${sum}`], ...lines];
    },
  };
}

/** Describes a stage of a run. From the second round on it and its gate are numbered: `send-2`. */
export interface PlannedStage {
  spec: StageSpec;
  name: string;
  gate: string | undefined;
  /** Counted from 0. */
  round: number;
  /** Clients of the whole run that must be ready before this gate opens. */
  clients?: number;
  /** Set where a round begins. Returns the reason to end before it, from the live figures of all shards. */
  enough?: (figures: Readonly<Record<string, number>>) => string | undefined;
}

type Staged<O> = Pick<Scenario, 'stages'> & Partial<Pick<Scenario, 'rounds' | 'arriving'>> & { options: O };

/** Adds the login stage before the stages of a run. The first of those then has a gate, and no login is behind it. */
export function behindLogins([first, ...others]: readonly PlannedStage[]): PlannedStage[] {
  const login: PlannedStage = { spec: loginStage, name: loginStage.name, gate: undefined, round: 0 };
  return [login, ...(first ? [{ ...first, gate: first.gate ?? loginGate }] : []), ...others];
}

/** Returns the stages of a run in order, those of a round once per round. `clients` is the run's number of clients. */
export function plannedStages(
  { stages, rounds, arriving, options }: Staged<Record<string, unknown>>,
  clients: number,
): PlannedStage[] {
  const planned: PlannedStage[] = [];
  let awaited: number | undefined = clients - (arriving?.(options) ?? 0);
  const plan = (spec: StageSpec, round: number, begins: boolean): void => {
    if (begins && rounds) awaited = rounds.clients(options, round);
    // The first round has no gate, as nothing comes before it.
    const gate = begins && round === 0 ? undefined : spec.gate;
    const isFirstGate = gate !== undefined && !begins && awaited !== undefined;
    planned.push({
      spec,
      name: numbered(spec.name, round),
      gate: gate === undefined ? undefined : numbered(gate, round),
      round,
      ...(isFirstGate && { clients: awaited as number }),
      ...(begins && rounds && round > 0 && { enough: (figures) => rounds.enough?.(options, figures, round) }),
    });
    if (isFirstGate) awaited = undefined;
  };
  const repeated = stages.filter(({ isRound }) => isRound);
  for (const spec of stages) {
    if (!spec.isRound) plan(spec, 0, false);
    if (spec !== repeated[0] || !rounds) continue;
    for (let round = 0; round < rounds.count(options); round++) {
      for (const each of repeated) plan(each, round, each === spec);
    }
  }
  return planned;
}

/** Counts the clients asked for by the rounds that began, by the names of their stages. */
export function clientsBegun(
  staged: Staged<Record<string, unknown>>,
  clients: number,
  stages: ReadonlySet<string>,
): number {
  const { rounds, options } = staged;
  if (!rounds) return clients;
  const begun = plannedStages(staged, clients).filter(({ spec, name }) => spec.isRound && stages.has(name));
  return rounds.clients(options, Math.max(0, ...begun.map(({ round }) => round)));
}

function numbered(name: string, round: number): string {
  return round === 0 ? name : `${name}-${round + 1}`;
}

/** Begins the names of gates and figures of the places where the clients of a flow wait for each other. */
export const crowdGate = 'together:';

/** The live figure of the clients that have not ended, those still to come included. Shares of a crowd are of it. */
export const thereFigure = 'there';

/** Part of the clients that a gate awaits: a number, or a share. */
export type CrowdSize = { clients: number } | { share: number };

/** Shares have this many parts in the name of a figure. */
const partsOfShare = 10_000;

/** Returns the name of the live figure of clients that wait at a gate. The size is in it, as figures add up. */
export function crowdFigure(gate: string, size: CrowdSize): string {
  const part = 'clients' in size ? `${size.clients}` : `${Math.max(1, Math.round(size.share * partsOfShare))}p`;
  return `${crowdGate}${gate}:${part}`;
}

interface Crowd {
  waiting: number;
  needed: number;
}

function crowdsIn(figures: Readonly<Record<string, number>>): Map<string, Crowd> {
  const crowds = new Map<string, Crowd>();
  for (const [name, waiting] of Object.entries(figures)) {
    const [, gate, size, isShare] = /^(together:[\w.-]+):(\d+)(p?)$/.exec(name) ?? [];
    if (gate === undefined) continue;
    const there = figures[thereFigure] ?? Number.POSITIVE_INFINITY;
    const needed = isShare === 'p' ? Math.ceil((there * Number(size)) / partsOfShare) : Number(size);
    const crowd = crowds.get(gate) ?? { waiting: 0, needed: 0 };
    // Clients that ask for different sizes get the largest.
    crowds.set(gate, { waiting: crowd.waiting + waiting, needed: Math.max(crowd.needed, needed) });
  }
  return crowds;
}

/** Returns the whole names of the gates at which clients wait. */
export function waitedGates(figures: Readonly<Record<string, number>>): string[] {
  return [...crowdsIn(figures)].flatMap(([gate, { waiting }]) => (waiting > 0 ? gate : []));
}

/** Returns those at which enough clients wait. */
export function fullGates(figures: Readonly<Record<string, number>>): string[] {
  return [...crowdsIn(figures)].flatMap(([gate, { waiting, needed }]) =>
    waiting > 0 && waiting >= needed ? gate : [],
  );
}

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

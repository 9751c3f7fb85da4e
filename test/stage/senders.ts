import { expect } from 'vitest';
import { encodeSends, MarkTable, markKind, SendLog, sharedSends } from '../../src/measure/samples/mark-table.js';
import { sumCauses, sumCounts, sumSeries } from '../../src/measure/samples/sample-sum.js';
import { shareOf, shareStart } from '../../src/measure/share.js';
import type { Clients } from '../../src/protocols/protocol.js';
import type { echo } from '../../src/scenarios/echo.js';
import type { Role } from '../../src/scenarios/scenario.js';
import type { whisper } from '../../src/scenarios/whisper.js';
import { type FateOf, leaveAtInstant } from './ahead.js';
import { FakeClock } from './fake-clock.js';
import { startNs, valuesOf, type WorkerGiven, workerOnStage } from './worker-on-stage.js';

/** A message that a client handed to its socket. Clients have their numbers in the whole run. */
export interface Sent {
  client: number;
  number: number;
  /** Number among all that this client sent, proofs and warm-up included. */
  nth: number;
  isMeasured: boolean;
  stream: string;
  atMs: number;
}

export interface Given extends Omit<WorkerGiven, 'clock' | 'totalClients'> {
  shards?: number;
  /** Of each shard. */
  workers?: number;
  options?: Record<string, unknown>;
  /** After how many milliseconds each copy comes back, or reaches a client in the same room. */
  answer?: (sent: Sent, receiver: number) => readonly number[];
  /** Rows of each shard's table; without it as many as the scenario asks for. */
  size?: number;
  /** Clients take sends ahead. */
  ahead?: FateOf | undefined;
  /** How many of the last messages of a client the target never read. */
  unread?: (client: number) => number;
}

/** For tests: all workers of a run before a target that echoes, or passes whispers on as ordered, on one clock. */
export async function sendersOnStage(scenario: typeof echo | typeof whisper, given: Given = {}) {
  const { shards = 1, workers = 1, clientCount = 7, answer = () => [3], ahead, unread = () => 0, ...rest } = given;
  const sizes = { clients: clientCount, durationMs: 1000, ratePerSecond: 10, drainMs: 503, rampRatePerSecond: 1000 };
  const room = scenario.name === 'whisper' && { room: 4 };
  const options = scenario.options.parse({ ...sizes, ...room, ...given.options });
  const most = given.size ?? scenario.mostMarks?.(options as never, shards) ?? 0;
  const tables = Array.from({ length: shards }, (_, shard) => new MarkTable(most, shard * most));
  const clock = new FakeClock(startNs);
  const abort = new AbortController();
  const sends: Sent[] = [];
  /** By client, once it has joined. */
  const streams: string[] = [];
  const counts = new Uint32Array(clientCount);
  const of = shards * workers;
  const partOf = (index: number) => {
    const [firstClient, own] = [shareStart(clientCount, index, of), shareOf(clientCount, index, of)];
    const slice = { index: Math.floor(index / workers), of: shards };
    const marks = tables[slice.index] as MarkTable;
    const worker = workerOnStage(options, { ...rest, clock, clientCount: own, totalClients: clientCount });
    const say = (client: number, stream: string, number: number): void => {
      const isMeasured = (marks.kind[marks.indexOf(number)]! & markKind.unmeasured) === 0;
      const nth = counts[client]!++;
      const sent = { client, number, nth, isMeasured, stream, atMs: worker.sinceStartMs() };
      sends.push(sent);
      const others = [...streams.keys()].filter((each) => each !== client && streams[each] === stream);
      for (const receiver of scenario.name === 'echo' ? [client] : others)
        for (const ms of answer(sent, receiver)) clock.at(clock.nowNs() + ms * 1e6, () => deliver(receiver, number));
    };
    const sender = (own: number, stream: string, number: number, dueNs?: number, token = 0): boolean => {
      const leave = (): void => say(firstClient + own, stream, number);
      if (dueNs === undefined || ahead === undefined) leave();
      else leaveAtInstant(worker, { client: own, token, dueNs }, () => ahead(firstClient + own), leave);
      return true;
    };
    const context = {
      ...{ ...worker.context, options: options as never, firstClient, slice, marks },
      openClients: async (told: Parameters<typeof worker.context.openClients>[0]): Promise<Clients> => {
        const clients = await worker.context.openClients(told);
        return {
          ...clients,
          subscribe(own, stream) {
            streams[firstClient + own] = stream;
            clients.subscribe(own, stream);
          },
          sendsAhead: ahead !== undefined,
          unsent: (own) => unread(firstClient + own),
          echo: (own, ...send) => sender(own, '', ...send),
          whisper: sender,
        };
      },
    };
    return { worker, firstClient, context };
  };
  const parts = Array.from({ length: of }, (_, index) => partOf(index));
  const roles: Role[] = await Promise.all(parts.map(({ context }) => scenario.audience(context)));
  const partWith = (client: number) => parts.findLast(({ firstClient }) => firstClient <= client)!;
  const deliver = (client: number, number: number): void => {
    const { worker, firstClient } = partWith(client);
    worker.deliver([client - firstClient], number, number + 1);
  };
  const exchange = (): void => {
    for (const [index, role] of roles.entries())
      for (const [shard, table] of tables.entries()) {
        if (shard === Math.floor(index / workers)) continue;
        const { buffer } = sharedSends(encodeSends(table, 0));
        role.learn?.(new SendLog(buffer, { shiftNs: 0, errorNs: 0, atNs: startNs }));
      }
  };
  const stage = async (name: string): Promise<void> => {
    // A scenario whose sends concern other shards has them exchanged at that gate.
    if (scenario.stages.some((each) => each.name === name && each.gate === 'exchange')) exchange();
    await clock.run(Promise.all(roles.map((role) => role.stage(name, clock.nowNs(), abort.signal))));
  };
  const sinceStartMs = (): number => (clock.nowNs() - startNs) / 1e6;
  return {
    ...{ abort, clock, deliver, roles, sends, sinceStartMs, stage, streams },
    at: (ms: number, action: () => void) => clock.at(clock.nowNs() + ms * 1e6, action),
    cut(client: number): void {
      const { worker, firstClient } = partWith(client);
      worker.told().closed(client - firstClient, 'reset', true);
    },
    gaveUp: () => parts.flatMap(({ worker }) => worker.gaveUp),
    /** Adds up the reports, as the driver does. */
    books() {
      const reports = roles.map((role) => role.report());
      const sums = {
        counts: sumCounts(reports.map((report) => report.counts)),
        causes: sumCauses(reports.map((report) => report.causes)),
        series: sumSeries(reports.map((report) => report.series)),
        timeline: {},
        longestMs: { arrivals: Math.max(...reports.map(({ longestMs }) => longestMs?.arrivals ?? 0)) },
      };
      const { entries, breaks } = scenario.ledger(sums);
      expect(breaks).toEqual([]);
      const samples = (name: string): number[] => reports.flatMap((report) => valuesOf(report.samples[name]));
      return { ...sums, entries: entries as Record<string, unknown>, samples, reports };
    },
  };
}

/** For tests: plays every stage, with `begun` as the sends begin, and adds up the books. */
export async function playedSenders(
  scenario: typeof echo | typeof whisper,
  given: Given = {},
  begun?: (stage: Awaited<ReturnType<typeof sendersOnStage>>) => void,
) {
  const set = await sendersOnStage(scenario, given);
  await set.stage('ramp');
  begun?.(set);
  for (const name of [scenario.name, 'drain']) await set.stage(name);
  return { ...set, ...set.books() };
}

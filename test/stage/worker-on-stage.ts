import type { TargetSlots } from '../../src/measure/paired/slots.js';
import { Recorder, StampTable } from '../../src/measure/samples/recorder.js';
import type { Samples } from '../../src/measure/samples/samples.js';
import type { ClientEvents, Clients } from '../../src/protocols/protocol.js';
import { loadOptions } from '../../src/scenarios/load-options.js';
import type { AudienceContext, GiveUp, Role } from '../../src/scenarios/scenario.js';
import type { StreamTable } from '../../src/scenarios/traffic/streams.js';
import { FakeClock } from './fake-clock.js';

/** How the target treats a client: when it opens and confirms, or why it never does. */
interface Welcome {
  openAfterMs: number;
  confirmAfterMs: number;
  /** Ends the connection attempt instead of opening. */
  refusal?: string;
  /** Never answers the upgrade. */
  isDeaf?: boolean;
  /** Opens, takes the subscription and says nothing. */
  isMute?: boolean;
  /** How long after a ping its pong comes; without it never. */
  pongAfterMs?: number;
}

/** The worker's share of the run, and what the target does. */
export interface WorkerGiven {
  clientCount?: number | undefined;
  totalClients?: number | undefined;
  subscribeTimeoutMs?: number | undefined;
  /** Size of the board. */
  broadcasts?: number | undefined;
  seed?: number | undefined;
  slots?: TargetSlots;
  streams?: StreamTable;
  /** How long the client library takes to load. */
  loadMs?: number | undefined;
  welcome?: ((client: number) => Partial<Welcome>) | undefined;
  /** Of several workers on one stage. */
  clock?: FakeClock;
}

/** When the first stage begins, by the fake clock. */
export const startNs = 17e9;

/** What a worker gives an audience that stands before a target of known behaviour, on a clock that leaps. */
export function workerOnStage<O>(
  options: O,
  { clientCount = 7, totalClients = clientCount, broadcasts = 11, loadMs = 0, welcome, ...given }: WorkerGiven = {},
) {
  const { subscribeTimeoutMs = 997 } = given;
  const { clock = new FakeClock(startNs) } = given;
  const abort = new AbortController();
  /** What the target took for certain; as stamped, since this stage has no rig that waits. */
  const leastNs: number[] = [];
  const opens: [client: number, atMs: number][] = [];
  const drops: string[] = [];
  const asked: [client: number, stream: string][] = [];
  const pings: number[] = [];
  const gaveUp: GiveUp[] = [];
  let events: ClientEvents | undefined;
  let isDisposed = false;
  const sinceStartMs = (): number => (clock.nowNs() - startNs) / 1e6;
  const welcomeOf = (client: number): Welcome => ({ openAfterMs: 3, confirmAfterMs: 2, ...welcome?.(client) });
  const after = (ms: number, action: () => void): void => clock.at(clock.nowNs() + ms * 1e6, action);
  const clientsOf = (told: ClientEvents): Clients => ({
    open(client) {
      opens.push([client, sinceStartMs()]);
      leastNs[client] = 0;
      const { openAfterMs, refusal, isDeaf } = welcomeOf(client);
      if (isDeaf) return;
      after(openAfterMs, () => {
        if (refusal !== undefined) return told.closed(client, refusal, false);
        leastNs[client] = openAfterMs * 1e6;
        told.opened(client, 1e6, openAfterMs * 1e6, 1e6, { tookNs: 1.5e6, leastNs: 1.25e6 });
        told.ready(client);
      });
    },
    subscribe(client, stream) {
      asked.push([client, stream]);
      const { confirmAfterMs, isMute } = welcomeOf(client);
      if (isMute) return;
      after(confirmAfterMs, () => {
        leastNs[client] = (leastNs[client] ?? 0) + confirmAfterMs * 1e6;
        told.subscribed(client, stream);
      });
    },
    ping(client) {
      pings.push(client);
      const { pongAfterMs } = welcomeOf(client);
      if (pongAfterMs !== undefined) after(pongAfterMs, () => told.ponged?.(client));
    },
    leastNs: (client) => leastNs[client] ?? 0,
    drop(client, mode) {
      drops.push(`${client} ${mode}`);
      told.closed(client, 'ours', true);
    },
    dispose() {
      isDisposed = true;
    },
  });
  const context: AudienceContext<O> = {
    options,
    load: loadOptions.parse({ subscribeTimeoutMs }),
    stream: 'spring',
    board: new StampTable(broadcasts),
    slice: { index: 0, of: 1 },
    seed: given.seed ?? 7,
    ...(given.slots && { slots: given.slots }),
    ...(given.streams && { streams: given.streams }),
    firstClient: 0,
    nowNs: clock.nowNs,
    sleptNs: clock.nowNs,
    sleep: clock.sleep,
    recorder: () => new Recorder(),
    log: () => undefined,
    giveUp: (reason) => gaveUp.push(reason),
    clientCount,
    totalClients,
    flow: () => Promise.reject(new Error('this stage has no flows')),
    async openClients(told) {
      events = told;
      await clock.sleep(loadMs);
      return clientsOf(told);
    },
  };
  const told = (): ClientEvents => {
    if (!events) throw new Error('no clients were asked for');
    return events;
  };
  return {
    context,
    clock,
    abort,
    opens,
    asked,
    drops,
    pings,
    gaveUp,
    told,
    isDisposed: () => isDisposed,
    sinceStartMs,
    /** Does something that long after the start. */
    at: (ms: number, action: () => void) => clock.at(startNs + ms * 1e6, action),
    play: (role: Role, name: string) => clock.run(role.stage(name, clock.nowNs(), abort.signal)),
    /** Delivers the broadcasts `from` to `to - 1` to those clients. */
    deliver(clients: readonly number[], from: number, to: number) {
      const pairs = clients.flatMap((client) =>
        Array.from({ length: to - from }, (_, n) => [client, from + n] as const),
      );
      told().deliveries({
        count: pairs.length,
        notBeforeNs: new Float64Array(pairs.length).fill(clock.nowNs()),
        client: Int32Array.from(pairs, ([client]) => client),
        sequence: Int32Array.from(pairs, ([, sequence]) => sequence),
        receivedAtNs: new Float64Array(pairs.length).fill(clock.nowNs()),
        flags: new Uint8Array(pairs.length),
      });
    },
  };
}

/** For tests: the raw samples of a metric; none of one that was not recorded. */
export function valuesOf(samples: Samples | undefined): number[] {
  return samples?.kind === 'raw' ? [...samples.values] : [];
}

import { Board } from '../../measure/board.js';
import { createRecorder } from '../../measure/recorder.js';
import type { ClientEvents } from '../../protocols/protocol.js';
import { FakeClock } from '../fake-clock.js';
import { loadOptions } from '../load-options.js';
import type { GiveUp } from '../scenario.js';
import { LatencyAudience } from './audience.js';
import { latencyOptions } from './options.js';

/** How the target treats a client: when it opens and confirms, or why it never does. */
interface Welcome {
  openAfterMs: number;
  confirmAfterMs: number;
  /** Ends the connection attempt instead of opening. */
  refusal?: string;
  /** Opens, takes the subscription and says nothing. */
  isMute?: boolean;
}

/** The worker's share of the run, and what the target does. */
export interface Given {
  clientCount?: number;
  totalClients?: number;
  rampRatePerSecond?: number;
  subscribeTimeoutMs?: number;
  drainMs?: number;
  broadcasts?: number;
  /** How long the client library takes to load. */
  loadMs?: number;
  welcome?(client: number): Partial<Welcome>;
}

/** When the ramp begins, by the fake clock. */
export const startNs = 17e9;

/** For tests: an audience of one worker before a target of known behaviour, on a clock that does not wait. */
export function audienceOnStage({
  clientCount = 7,
  totalClients = clientCount,
  loadMs = 0,
  welcome,
  ...given
}: Given = {}) {
  const { rampRatePerSecond = 100, subscribeTimeoutMs = 997, drainMs = 499, broadcasts = 11 } = given;
  const clock = new FakeClock(startNs);
  const abort = new AbortController();
  const opens: [number, number][] = [];
  const drops: string[] = [];
  const gaveUp: GiveUp[] = [];
  let events: ClientEvents | undefined;
  let isDisposed = false;
  const welcomeOf = (client: number): Welcome => ({ openAfterMs: 3, confirmAfterMs: 2, ...welcome?.(client) });
  const after = (ms: number, action: () => void): void => clock.at(clock.nowNs() + ms * 1e6, action);
  const audience = new LatencyAudience({
    options: latencyOptions.parse({ subscribers: totalClients, warmUp: 0, broadcasts, drainMs, rampRatePerSecond }),
    load: loadOptions.parse({ subscribeTimeoutMs }),
    stream: 'spring',
    board: new Board(broadcasts),
    slice: { index: 0, of: 1 },
    nowNs: clock.nowNs,
    sleep: clock.sleep,
    recorder: () => createRecorder(),
    log: () => undefined,
    giveUp: (reason) => gaveUp.push(reason),
    clientCount,
    totalClients,
    async openClients(given) {
      events = given;
      await clock.sleep(loadMs);
      return {
        open(client) {
          opens.push([client, (clock.nowNs() - startNs) / 1e6]);
          const { openAfterMs, refusal } = welcomeOf(client);
          after(openAfterMs, () => {
            if (refusal !== undefined) return given.closed(client, refusal, false);
            given.opened(client, 1e6, openAfterMs * 1e6);
            given.ready(client);
          });
        },
        subscribe(client, stream) {
          const { confirmAfterMs, isMute } = welcomeOf(client);
          if (!isMute) after(confirmAfterMs, () => given.subscribed(client, stream));
        },
        drop(client, mode) {
          drops.push(`${client} ${mode}`);
          given.closed(client, 'ours', true);
        },
        dispose: () => {
          isDisposed = true;
        },
      };
    },
  });
  const told = (): ClientEvents => {
    if (!events) throw new Error('no clients were asked for');
    return events;
  };
  return {
    audience,
    clock,
    abort,
    opens,
    drops,
    gaveUp,
    told,
    isDisposed: () => isDisposed,
    sinceStartMs: () => (clock.nowNs() - startNs) / 1e6,
    stage: (name: string) => clock.run(audience.stage(name, clock.nowNs(), abort.signal)),
    /** Delivers the broadcasts `from` to `to - 1` to those clients. */
    deliver(clients: readonly number[], from: number, to: number) {
      const pairs = clients.flatMap((client) =>
        Array.from({ length: to - from }, (_, n) => [client, from + n] as const),
      );
      told().deliveries({
        count: pairs.length,
        readableFromNs: clock.nowNs(),
        client: Int32Array.from(pairs, ([client]) => client),
        sequence: Int32Array.from(pairs, ([, sequence]) => sequence),
        receivedAtNs: new Float64Array(pairs.length).fill(clock.nowNs()),
        flags: new Uint8Array(pairs.length),
      });
    },
  };
}

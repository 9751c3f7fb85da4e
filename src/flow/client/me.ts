import { maxSample } from '../../measure/samples/histogram.js';
import { firstFew, outsideText } from '../../units/text.js';
import type { Me } from '../api.js';
import type { ClientChecks } from './checks.js';
import { type ClientDraws, thinkMs } from './draws.js';
import type { Gates } from './gates.js';
import type { FlowLog } from './log.js';
import type { NumberedStreams } from './streams.js';
import { msOf } from './time.js';
import type { Waits } from './waits.js';

/** What one life of a client is made of. The signal of `waits` ends it. */
export interface MeMeans<R, S>
  extends Pick<Me<R, S>, 'number' | 'clients' | 'row' | 'shared' | 'target' | 'http' | 'open' | 'WebSocket' | 'join'> {
  /** Draws of the client, which go on over its lives. */
  draws: ClientDraws;
  waits: Waits;
  checks: ClientChecks;
  /** Those of the worker. */
  gates: Gates;
  streams: NumberedStreams;
  log: FlowLog;
  /** Names of the metrics that the flow declares, and what records them. */
  metricNames: readonly string[];
  metric(name: string, us: number): void;
  nowNs(): number;
}

/** Makes what the user's code knows of its client. Its functions work alone, so that a flow can take them apart. */
export function meOf<R, S>(means: MeMeans<R, S>): Me<R, S> {
  const { number, draws, waits, checks, gates, log, nowNs } = means;
  const streams = new Map<string, ReturnType<Me['stream']>>();
  const record = (name: string, us: number): void => {
    means.metric(declared(name, means.metricNames), measured(name, us));
  };
  return {
    ...{ number, clients: means.clients, row: means.row, shared: means.shared, target: means.target },
    ...{ signal: waits.signal, http: means.http, open: means.open, join: means.join },
    // Few flows need the class, which is the client's own.
    get WebSocket() {
      return means.WebSocket;
    },
    random: () => draws.next('random'),
    sleep: async (time) => waits.sleep(msOf(time, 'me.sleep')),
    think: async (time, options) => waits.sleep(thinkMs(draws.next('think'), msOf(time, 'me.think'), options)),
    together: (name, options = {}) => gates.come(name, options, waits),
    stream(name, options) {
      const stream = streams.get(name) ?? means.streams.stream(name, options);
      streams.set(name, stream);
      return stream;
    },
    check: (name, isKept) => checks.check(name, Boolean(isKept)),
    metric: (name, ms) => record(name, ms * 1000),
    async time(name, work) {
      declared(name, means.metricNames);
      const startNs = nowNs();
      const result = await work();
      record(name, (nowNs() - startNs) / 1000);
      return result;
    },
    log: (...words) => log.log(number, words),
  };
}

function declared(name: string, names: readonly string[]): string {
  if (names.includes(name)) return name;
  const known = names.length === 0 ? 'metrics in the flow' : `one of ${firstFew(names, ', ')}`;
  throw new RangeError(`metric ${outsideText(String(name), 60)}: expected ${known}`);
}

function measured(name: string, us: number): number {
  if (us >= 0 && us <= maxSample) return us;
  throw new RangeError(`metric ${name}: expected milliseconds from 0 to an hour, received ${us / 1000}`);
}

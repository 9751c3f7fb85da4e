import { maxSample } from '../../measure/samples/histogram.js';
import { firstFew, outsideText } from '../../units/text.js';
import type { Http, Me } from '../api.js';
import type { ClientChecks } from './checks.js';
import { type ClientDraws, thinkMs } from './draws.js';
import type { Gates } from './gates.js';
import type { FlowLog } from './log.js';
import type { NumberedStreams } from './streams.js';
import { msOf } from './time.js';
import type { Waits } from './waits.js';

/** What one life of a client is made of. The signal of `waits` ends it. */
export interface MeMeans<R, S>
  extends Pick<Me<R, S>, 'number' | 'clients' | 'row' | 'shared' | 'target' | 'http' | 'open' | 'join'> {
  /** Makes the class when it is first asked for. */
  WebSocket(): typeof globalThis.WebSocket;
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
  return new ClientMe(means);
}

/** A class, as its objects are half as large as those of a literal with as many fields. */
class ClientMe<R, S> implements Me<R, S> {
  readonly number: number;
  readonly clients: number;
  readonly row: R;
  readonly shared: S;
  readonly target: URL;
  readonly signal: AbortSignal;
  readonly http: Http;
  readonly open: Me['open'];
  readonly join: Me['join'];
  #streams: Map<string, ReturnType<Me['stream']>> | undefined;

  constructor(private readonly means: MeMeans<R, S>) {
    this.number = means.number;
    this.clients = means.clients;
    this.row = means.row;
    this.shared = means.shared;
    this.target = means.target;
    this.signal = means.waits.signal;
    this.http = means.http;
    this.open = means.open;
    this.join = means.join;
  }

  /** Few flows need the class, which is the client's own. */
  get WebSocket(): typeof globalThis.WebSocket {
    return this.means.WebSocket();
  }

  readonly random: Me['random'] = () => this.means.draws.next('random');
  readonly sleep: Me['sleep'] = async (time) => this.means.waits.sleep(msOf(time, 'me.sleep'));
  readonly think: Me['think'] = async (time, options) => {
    const { draws, waits } = this.means;
    return waits.sleep(thinkMs(draws.next('think'), msOf(time, 'me.think'), options));
  };
  readonly together: Me['together'] = (name, options = {}) => this.means.gates.come(name, options, this.means.waits);
  readonly stream: Me['stream'] = (name, options) => {
    this.#streams ??= new Map();
    const stream = this.#streams.get(name) ?? this.means.streams.stream(name, options);
    this.#streams.set(name, stream);
    return stream;
  };
  readonly check: Me['check'] = (name, isKept) => this.means.checks.check(name, Boolean(isKept));
  readonly metric: Me['metric'] = (name, ms) => this.#record(name, ms * 1000);
  readonly time: Me['time'] = async (name, work) => {
    const { metricNames, nowNs } = this.means;
    declared(name, metricNames);
    const startNs = nowNs();
    const result = await work();
    this.#record(name, (nowNs() - startNs) / 1000);
    return result;
  };
  readonly log: Me['log'] = (...words) => this.means.log.log(this.number, words);

  #record(name: string, us: number): void {
    this.means.metric(declared(name, this.means.metricNames), measured(name, us));
  }
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

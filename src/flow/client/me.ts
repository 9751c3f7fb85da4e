import { maxSample } from '../../measure/samples/samples.js';
import { firstFew, outsideText } from '../../units/text.js';
import type { Conn, Group, Http, Me, Time } from '../api.js';
import type { FlowWorker, SharedFlow } from '../parts.js';
import { type ClientDraws, type ThinkOptions, thinkMs } from './draws.js';
import type { StreamOptions } from './streams.js';
import { msOf, type Waits } from './waits.js';

/** What one life of a client is made of. The signal of `waits` ends it. Draws go on over the lives of a client. */
export interface MeMeans extends Pick<Me, 'number' | 'row' | 'target' | 'http' | 'open' | 'join' | 'WebSocket'> {
  draws: ClientDraws;
  waits: Waits;
  part: Pick<SharedFlow, 'flow' | 'shared'>;
  worker: Pick<FlowWorker, 'totalClients' | 'gates' | 'streams' | 'figures' | 'nowNs'>;
  check(name: string, isKept: boolean): void;
}

/** What the user's code knows of its client. Its methods work alone, so that a flow can take them apart. */
export class ClientMe implements Me {
  readonly number: number;
  readonly clients: number;
  readonly row: unknown;
  readonly shared: unknown;
  readonly target: URL;
  readonly #means: MeMeans;
  #streams: Map<string, ReturnType<Me['stream']>> | undefined;

  constructor(means: MeMeans) {
    this.#means = means;
    this.number = means.number;
    this.clients = means.worker.totalClients;
    this.row = means.row;
    this.shared = means.part.shared;
    this.target = means.target;
  }

  get signal(): AbortSignal {
    return this.#means.waits.signal;
  }

  get http(): Http {
    return this.#means.http;
  }

  get WebSocket(): typeof globalThis.WebSocket {
    return this.#means.WebSocket;
  }

  open(...given: Parameters<Me['open']>): Promise<Conn> {
    return this.#means.open(...given);
  }

  join<T>(group: string, confirm: () => Promise<T>): Promise<Group & { answer: T }> {
    return this.#means.join(group, confirm);
  }

  random(): number {
    return this.#means.draws.next('random');
  }

  sleep(time: Time): Promise<void> {
    return this.#pause(() => msOf(time, 'me.sleep'));
  }

  think(time: Time, options?: ThinkOptions): Promise<void> {
    return this.#pause(() => thinkMs(this.#means.draws.next('think'), msOf(time, 'me.think'), options));
  }

  /** Not async: its promise would be one more that waits. */
  #pause(ms: () => number): Promise<void> {
    try {
      return this.#means.waits.sleep(ms());
    } catch (error) {
      return Promise.reject(error);
    }
  }

  together(name: string, options: Parameters<Me['together']>[1] = {}): Promise<void> {
    return this.#means.worker.gates.come(name, options, this.#means.waits);
  }

  stream(name: string, options: StreamOptions): ReturnType<Me['stream']> {
    this.#streams ??= new Map();
    const stream = this.#streams.get(name) ?? this.#means.worker.streams.stream(name, options);
    this.#streams.set(name, stream);
    return stream;
  }

  check(name: string, isKept: unknown): boolean {
    this.#means.check(name, Boolean(isKept));
    return Boolean(isKept);
  }

  metric(name: string, ms: number): void {
    this.#means.worker.figures.time(this.#declared(name), measured(name, ms * 1000));
  }

  async time<T>(name: string, work: () => Promise<T>): Promise<T> {
    const { figures, nowNs } = this.#means.worker;
    const metric = this.#declared(name);
    const startNs = nowNs();
    const result = await work();
    figures.time(metric, measured(name, (nowNs() - startNs) / 1000));
    return result;
  }

  log(...words: unknown[]): void {
    this.#means.worker.figures.log(this.number, words);
  }

  #declared(name: string): string {
    const { metrics = {} } = this.#means.part.flow;
    if (Object.hasOwn(metrics, name)) return name;
    const names = Object.keys(metrics);
    const known = names.length === 0 ? 'metrics in the flow' : `one of ${firstFew(names, ', ')}`;
    throw new RangeError(`metric ${outsideText(String(name), 60)}: expected ${known}`);
  }
}

// Bound when asked for, so that no client has functions of its own.
for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(ClientMe.prototype)))
  if (name !== 'constructor' && typeof value === 'function')
    Object.defineProperty(ClientMe.prototype, name, {
      get(this: ClientMe) {
        return value.bind(this);
      },
    });

function measured(name: string, us: number): number {
  if (us >= 0 && us <= maxSample) return us;
  throw new RangeError(`metric ${name}: expected milliseconds from 0 to an hour, received ${us / 1000}`);
}

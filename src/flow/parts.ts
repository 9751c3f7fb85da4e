import { setMaxListeners } from 'node:events';
import { MarkBook } from '../scenarios/books/mark-book.js';
import { type FlowHooks, type FlowOptions, slicesOf } from '../scenarios/flow/options.js';
import type { AudienceContext } from '../scenarios/scenario.js';
import { SendClock } from '../scenarios/traffic/send-clock.js';
import type { HttpReach } from '../units/http.js';
import type { SendMessage } from '../wire/wire.js';
import type { Flow, Left } from './api.js';
import type { ClientDraws } from './client/draws.js';
import { NumberedStreams } from './client/streams.js';
import { Gates, Waits } from './client/waits.js';
import { FlowFigures } from './figures.js';
import { HttpOutlet, type SeenRequest } from './http/http.js';
import { type MessageMaker, markDigits } from './sends.js';
import type { OpenSockets, SocketMeans } from './sockets/sockets.js';
import { causeWithLine, lineOfError, UserTime } from './user-code.js';

const httpConnections = 256;

/** A flow of the job, with the share of clients that it gets and the result of its `setup`. */
export interface SharedFlow {
  flow: Flow;
  name: string;
  weight: number;
  shared: unknown;
  /** Set if its code may use the global `WebSocket`. */
  namesWebSocket: boolean;
}

/** Sees what a client does, for `ringside try`. Runs have none. */
export interface FlowTrace {
  /** Called when the user's code declares sends. Returns what makes their messages. */
  declared(make: MessageMaker): MessageMaker;
  requested(request: SeenRequest): void;
  checked(name: string, isKept: boolean): void;
  /** Receives what a listener of the user threw. */
  threw(error: unknown): void;
  /** Receives the cause and line of a wait that failed while nobody awaited it. */
  unawaited(why: string): void;
}

export interface FlowMeans {
  context: Pick<
    AudienceContext<FlowOptions>,
    | 'clientCount'
    | 'firstClient'
    | 'load'
    | 'log'
    | 'marks'
    | 'nowNs'
    | 'options'
    | 'recorder'
    | 'seed'
    | 'slice'
    | 'totalClients'
  >;
  flows: readonly SharedFlow[];
  /** Addresses of the target, which clients take in turn. */
  targets: readonly URL[];
  /** Text before the number of a mark, unique to the run. */
  marker: string;
  /** `localAddresses` are resolved: those that sockets bind to. */
  reach: HttpReach & { localAddresses: readonly string[] };
  sockets(means: Omit<SocketMeans, 'createEngine'>): OpenSockets;
  trace?: FlowTrace;
  hooks?: FlowHooks;
}

/** Returns the text before the number of a mark. */
export function markerOfRun(runId: string): string {
  return `rs${runId}x`;
}

/** What the clients of one worker share, so that a client has nothing of it. */
export type FlowWorker = ReturnType<typeof flowWorker>;

/** Puts together what runs the flows of one worker. */
export function flowWorker({ context, flows, targets, marker, reach, sockets: open, trace, hooks = {} }: FlowMeans) {
  const { clientCount, firstClient, load, marks, nowNs, options, recorder, seed, slice, totalClients } = context;
  if (marks === undefined) throw new Error('no table of declared sends: the pool makes one for every job of a flow');
  const figures = new FlowFigures(recorder, nowNs, context.log);
  const user = new UserTime(nowNs, (error) => {
    trace?.threw(error);
    figures.cause('threw', 'threw', lineOfError(error) ?? 'in a package');
  });
  const shape = { firstClient, clientCount, recorder, slice, table: marks, slices: slicesOf(options) };
  const book = new MarkBook({ ...hooks, ...shape });
  const clock = new SendClock<SendMessage>(nowNs, book, ({ intendedAtNs, sentAtNs }) =>
    figures.time('sendLag', (sentAtNs - intendedAtNs) / 1000),
  );
  const { localAddresses, caPem, isInsecure } = reach;
  const { connectTimeoutMs } = load;
  const scan = { marker, sequenceOffset: marker.length, sequenceDigits: markDigits };
  const sockets = open({
    ...{ clientCount, firstClient, shared: { localAddresses, caPem, isInsecure, connectTimeoutMs, scan } },
    deliveries: (batch) => book.take(batch),
    sends: (batch) => clock.take(batch),
  });
  const outlet = new HttpOutlet({
    ...{ target: targets[0]!, reach, connections: httpConnections, connectTimeoutMs, withinMs: load.publishTimeoutMs },
    seen: trace?.requested,
    timed(name, us, cause) {
      figures.count('requests');
      if (cause !== undefined) figures.cause('requestsFailed', 'request', cause);
      else {
        figures.count('requestsAnswered');
        figures.named('http', name, us);
      }
    },
  });
  const over = new AbortController();
  // Flows of many clients listen to it.
  setMaxListeners(0, over.signal);
  /** The flows of one round of weights, which clients take in turn by their number in the run. */
  const round = flows.flatMap((each) => Array.from({ length: each.weight }, () => each));
  return {
    ...{ clientCount, firstClient, totalClients, options, seed, nowNs, marker, targets, hooks, trace },
    ...{ figures, user, book, clock, sockets, outlet },
    over,
    /** The waits of clients that stay until the run ends. */
    waits: new Waits(over.signal, () => user.resumed()),
    gates: new Gates(),
    streams: new NumberedStreams(nowNs, (us) => figures.time('spread', us)),
    /** Draws of each client that has drawn, which go on over its lives. */
    draws: [] as (ClientDraws | undefined)[],
    /** Lives that each client has begun. */
    lives: new Uint32Array(clientCount),
    flowOf: (number: number): SharedFlow => round[number % round.length]!,
    unawaited(failure: Left): void {
      const why = causeWithLine(failure);
      trace?.unawaited(why);
      figures.cause('unawaited', 'unawaited', why);
    },
    dispose(): void {
      clock.dispose();
      sockets.dispose();
      void outlet.close();
    },
  };
}

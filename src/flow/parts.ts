import { MarkBook } from '../scenarios/books/mark-book.js';
import type { FlowHooks } from '../scenarios/flow/hooks.js';
import { type FlowOptions, slicesOf } from '../scenarios/flow/options.js';
import type { AudienceContext } from '../scenarios/scenario.js';
import { SendClock } from '../scenarios/traffic/send-clock.js';
import type { HttpReach } from '../units/http.js';
import type { Flow } from './api.js';
import { Checks } from './client/checks.js';
import { ClientDraws } from './client/draws.js';
import { Gates } from './client/gates.js';
import { FlowLog } from './client/log.js';
import { meOf } from './client/me.js';
import { NumberedStreams } from './client/streams.js';
import { Waits } from './client/waits.js';
import { rowFor } from './data/rows.js';
import { FlowFigures } from './figures.js';
import { FlowHttp, HttpOutlet } from './http/http.js';
import { ClientLife, type LifeMeans } from './life.js';
import { lineOfError } from './module/line.js';
import type { FlowParts } from './role.js';
import { markDigits, messageMaker } from './sends/template.js';
import type { SocketMeans, SocketMessage, Sockets } from './sockets/sockets.js';
import { type FlowTrace, tracedChecks } from './trace.js';
import { UserTime } from './user-time.js';
import { clientWebSocket } from './web-socket/web-socket.js';

/** HTTP connections of one worker to one origin. */
const httpConnections = 256;

/** A flow of the job, with the share of clients that it gets and the result of its `setup`. */
export interface SharedFlow {
  flow: Flow;
  name: string;
  weight: number;
  shared: unknown;
}

/** What the parts need of the run. */
export type FlowContext = Pick<
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

/** What the flows of one worker run on. */
export interface FlowMeans {
  context: FlowContext;
  flows: readonly SharedFlow[];
  /** Addresses of the target, which clients take in turn. */
  targets: readonly URL[];
  /** Text before the number of a mark, unique to the run. */
  marker: string;
  /** `localAddresses` are resolved: those that sockets bind to. */
  reach: HttpReach & { localAddresses: readonly string[] };
  sockets(means: Omit<SocketMeans, 'createEngine'>): Pick<Sockets, 'open' | 'stats' | 'dispose'>;
  trace?: FlowTrace;
  hooks?: FlowHooks;
}

/** Returns the text before the number of a mark. */
export function markerOfRun(runId: string): string {
  return `rs${runId}x`;
}

/** Puts together what runs the flows of one worker. */
export function flowParts(means: FlowMeans): Omit<FlowParts, 'context'> {
  const { context, flows, targets, marker, reach, sockets: open, trace, hooks = {} } = means;
  const { clientCount, firstClient, load, marks, nowNs, options, recorder, seed, slice, totalClients } = context;
  if (marks === undefined) throw new Error('no table of declared sends: the pool makes one for every job of a flow');
  const figures = new FlowFigures(recorder);
  const over = new AbortController();
  const user = new UserTime(nowNs, (error) => {
    trace?.threw(error);
    figures.cause('threw', 'threw', lineOfError(error) ?? 'in a package');
  });
  const shape = { firstClient, clientCount, recorder, slice, table: marks, slices: slicesOf(options) };
  const book = new MarkBook({ ...hooks, ...shape });
  const clock = new SendClock<SocketMessage>(nowNs, book, ({ intendedAtNs, sentAtNs }) =>
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
  const [gates, checks] = [new Gates(), new Checks()];
  const streams = new NumberedStreams(nowNs, (us) => figures.time('spread', us));
  const log = new FlowLog(context.log, () => nowNs() / 1e6);
  const draws: ClientDraws[] = [];
  const lives = new Uint32Array(clientCount);
  const flowOf = flowPicker(flows);
  const groups: LifeMeans['groups'] = {
    join(client, ...more) {
      hooks.joined?.(client);
      return book.join(client, ...more);
    },
    leave: (...more) => book.leave(...more),
  };
  const metric = (name: string, us: number): void => figures.time(name, us);
  const resumed = (): void => user.resumed();

  const life: FlowParts['life'] = (client, drained) => {
    const number = firstClient + client;
    const { flow, shared, metricNames } = flowOf(number);
    const own = draws[client] ?? new ClientDraws(seed, number);
    draws[client] = own;
    // Without stages all clients end with the run.
    const ending = options.stages === undefined ? over : new AbortController();
    const waits = new Waits(ending.signal, resumed);
    const target = targets[number % targets.length]!;
    const http = new FlowHttp(outlet, waits);
    const ownChecks = tracedChecks(checks.ofClient(), trace);
    const row = once(() => {
      const place = { client: number, clients: totalClients, life: lives[client]!++, draws: own };
      return flow.data && rowFor(flow.data, place);
    });
    const made: ClientLife = new ClientLife({
      // No spread in the objects of a client: it makes them large.
      client,
      clock,
      drained,
      draws: own,
      ending,
      figures,
      flow,
      groups,
      lineOfError,
      nowNs,
      sockets,
      target,
      user,
      open: (request) => made.sockets.open(request),
      cookies: (url) => http.cookiesFor(url),
      line: () => lineOfError(new Error()) ?? 'in a package',
      ended: () => ownChecks.ended(),
      template(message) {
        const drawn = own.sequence('slot');
        const make = messageMaker(message, { client: number, row: row(), marker, drawn });
        return trace?.declared(make) ?? make;
      },
      WebSocket: once(() =>
        clientWebSocket({
          base: target,
          open: (request) => made.sockets.open(request),
          cookies: (url) => http.cookiesFor(url),
          entered: (work) => user.entered(work),
        }),
      ),
      me: () =>
        meOf({
          number,
          clients: totalClients,
          row: row(),
          shared,
          target,
          http,
          draws: own,
          waits,
          gates,
          streams,
          log,
          nowNs,
          checks: ownChecks,
          metricNames,
          metric,
          open: (url, more) => made.open(url, more),
          join: (group, confirm) => made.join(group, confirm),
          WebSocket: () => made.WebSocket,
        }),
    });
    return { life: made, flow };
  };
  const dispose = (): void => {
    clock.dispose();
    sockets.dispose();
    void outlet.close();
  };
  return { sockets, clock, book, figures, hooks, user, over, gates, checks, streams, log, life, dispose };
}

/** Returns the flow of each client: those of one round of weights in a row, for every number. */
function flowPicker(flows: readonly SharedFlow[]): (number: number) => SharedFlow & { metricNames: string[] } {
  const round = flows.flatMap((each) => {
    const named = { ...each, metricNames: Object.keys(each.flow.metrics ?? {}) };
    return Array.from({ length: each.weight }, () => named);
  });
  return (number) => round[number % round.length]!;
}

/** Makes a value when it is first asked for. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

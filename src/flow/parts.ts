import { MarkBook } from '../scenarios/books/mark-book.js';
import { type FlowHooks, type FlowOptions, slicesOf } from '../scenarios/flow/options.js';
import type { AudienceContext } from '../scenarios/scenario.js';
import { SendClock } from '../scenarios/traffic/send-clock.js';
import type { HttpReach } from '../units/http.js';
import type { SendMessage } from '../wire/wire.js';
import { Checks } from './client/checks.js';
import { Gates } from './client/gates.js';
import { FlowLog } from './client/log.js';
import { NumberedStreams } from './client/streams.js';
import { Waits } from './client/waits.js';
import { FlowFigures } from './figures.js';
import { HttpOutlet } from './http/http.js';
import { ClientLife, type FlowPart, type FlowWorker, type SharedFlow } from './life.js';
import { lineOfError } from './module/line.js';
import type { FlowParts } from './role.js';
import { markDigits } from './sends/template.js';
import type { SocketMeans, Sockets } from './sockets/sockets.js';
import type { FlowTrace } from './trace.js';
import { UserTime } from './user-time.js';

/** HTTP connections of one worker to one origin. */
const httpConnections = 256;

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
  const worker: FlowWorker & Pick<FlowParts, 'sockets' | 'clock' | 'book'> = {
    ...{
      firstClient,
      totalClients,
      seed,
      marker,
      targets,
      nowNs,
      sockets,
      clock,
      book,
      figures,
      hooks,
      user,
      outlet,
      trace,
    },
    waits: new Waits(over.signal, () => user.resumed()),
    gates: new Gates(),
    checks: new Checks(trace && ((name, isKept) => trace.checked(name, isKept))),
    streams: new NumberedStreams(nowNs, (us) => figures.time('spread', us)),
    log: new FlowLog(context.log, () => nowNs() / 1e6),
    draws: [],
    lives: new Uint32Array(clientCount),
  };
  const flowOf = flowPicker(flows);
  const life: FlowParts['life'] = (client, drained) => {
    const part = flowOf(firstClient + client);
    // Without stages all clients end with the run.
    const ending = options.stages === undefined ? undefined : new AbortController();
    return { life: new ClientLife(worker, client, part, drained, ending), flow: part.flow };
  };
  const dispose = (): void => {
    clock.dispose();
    sockets.dispose();
    void outlet.close();
  };
  return { ...worker, over, life, dispose };
}

/** Returns the flow of each client: those of one round of weights in a row, for every number. */
function flowPicker(flows: readonly SharedFlow[]): (number: number) => FlowPart {
  const round = flows.flatMap((each) => {
    const named = { ...each, metricNames: Object.keys(each.flow.metrics ?? {}) };
    return Array.from({ length: each.weight }, () => named);
  });
  return (number) => round[number % round.length]!;
}

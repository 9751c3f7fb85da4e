import { randomBytes } from 'node:crypto';
import type { Flow } from '../../flow/api.js';
import { ClientDraws } from '../../flow/client/draws.js';
import { checkRows, rowFor } from '../../flow/data.js';
import type { SeenRequest } from '../../flow/http/http.js';
import { ClientLife, type LifeEnd } from '../../flow/life.js';
import { type FlowTrace, type FlowWorker, flowWorker, markerOfRun } from '../../flow/parts.js';
import { EngineSockets } from '../../flow/sockets/engine-sockets.js';
import { thrownInWords } from '../../flow/user-code.js';
import { nowNs } from '../../measure/rig/clock.js';
import { MarkTable } from '../../measure/samples/mark-table.js';
import { Recorder } from '../../measure/samples/recorder.js';
import { leastHiddenPart, Mask } from '../../protocols/trails.js';
import { flowOptions } from '../../scenarios/flow/options.js';
import type { LoadOptions } from '../../scenarios/load-options.js';
import { waitedGates } from '../../scenarios/rounds.js';
import { identitiesOf } from '../../units/text.js';
import { duration } from '../../units/unit.js';
import { createEngine } from '../../wire/choice.js';
import { catchRejections } from '../flows.js';
import { sleep } from '../timers.js';
import { type FlowFrame, TracedSockets } from './traces.js';
import { type Happening, hidden, type StepOutcome } from './trial.js';

export interface TriedFlow {
  flow: Flow;
  name: string;
  shared: unknown;
  target: URL;
  number: number;
  seed: number;
  durationMs: number;
  load: LoadOptions;
}

const gatesEveryMs = 10;
/** Longest wait for a flow that does not end, and for its sockets. */
const endWithinMs = 5000;
/** Frames of libraries can lie between a send and the user's line. */
const stackFrames = 100;

/** Runs one client of a flow on the JavaScript engine, and shows what it does. It measures nothing. */
export class FlowTrial {
  readonly #mask = new Mask();
  readonly #startedNs = nowNs();
  readonly #checks = new Map<string, { kept: number; broken: number }>();
  readonly #threw: string[] = [];
  readonly #secrets = new Set<string>();

  constructor(
    private readonly tried: TriedFlow,
    private readonly tell: (happening: Happening) => void,
    private readonly interrupt: AbortSignal,
  ) {}

  async run(): Promise<StepOutcome[]> {
    const { flow, number, seed, shared } = this.tried;
    const clients = number + 1;
    const lack = flow.data && checkRows(flow.data, clients);
    if (lack !== undefined) return [{ step: 'begun', why: lack }];
    const row =
      flow.data && rowFor(flow.data, { client: number, clients, life: 0, draws: new ClientDraws(seed, number) });
    // No log or result has them, either.
    this.#hide([...textsIn(row), ...textsIn(shared)]);
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = stackFrames;
    const worker = this.#worker();
    const letGo = catchRejections(worker);
    try {
      const end = await this.#live(worker);
      return [...this.#checked(), ...this.#threw.map((why) => ({ step: 'listeners', why })), end];
    } finally {
      letGo();
      worker.dispose();
      Error.stackTraceLimit = stackTraceLimit;
    }
  }

  #worker(): FlowWorker {
    const { flow, name, shared, target, number, seed, durationMs, load } = this.tried;
    const options = flowOptions.parse({ clients: 1, durationMs });
    const { caPem, isInsecure, targetCert, proxy } = load;
    const identities = identitiesOf(targetCert, 1, () => 0);
    let sockets: TracedSockets | undefined;
    const trace: FlowTrace = {
      declared: (make) => sockets!.declared(make),
      requested: (request) => this.#step(requestInWords(request)),
      checked: (check, isKept) => this.#check(check, isKept),
      threw: (error) => this.#caught(error),
      unawaited: (why) => this.#step(`nobody awaited what failed by ${why}`),
    };
    return flowWorker({
      ...{ flows: [{ flow, name, weight: 1, shared, namesWebSocket: true }], targets: [target], trace },
      marker: markerOfRun(randomBytes(4).toString('hex')),
      reach: { localAddresses: [], caPem, isInsecure, targetCert },
      context: {
        ...{ clientCount: 1, firstClient: number, totalClients: number + 1, slice: { index: 0, of: 1 } },
        ...{ load, nowNs, options, seed, marks: new MarkTable(options.mostSends), recorder: () => new Recorder() },
        log: (text) => this.#step(text.replace(`client ${number}: `, 'log: ')),
      },
      sockets: (means) => {
        const own = new EngineSockets({
          ...means,
          createEngine: (_isTls, setup, sink) => createEngine({ name: 'js' }, { ...setup, identities, proxy }, sink),
        });
        sockets = new TracedSockets(own, means.shared.scan, {
          ...{ nowNs, step: (text, line) => this.#step(text, line), frame: (frame) => this.#frame(frame) },
        });
        return sockets;
      },
    });
  }

  async #live(worker: FlowWorker): Promise<StepOutcome> {
    const { book, figures, gates, over, user } = worker;
    let release = (): void => undefined;
    const drained = new Promise<void>((resolve) => {
      release = resolve;
    });
    book.startAt(nowNs());
    const life = new ClientLife(worker, 0, drained);
    const ending = new AbortController();
    const ended: Promise<LifeEnd> = life.run().finally(() => ending.abort());
    // The one client is all there are.
    const opener = setInterval(() => {
      for (const gate of waitedGates(gates.figures())) gates.opened(gate);
    }, gatesEveryMs);
    await sleep(this.tried.durationMs, AbortSignal.any([this.interrupt, ending.signal]));
    clearInterval(opener);
    const isRunning = !ending.signal.aborted;
    over.abort();
    if (isRunning) life.end(true);
    book.close();
    user.resumed();
    release();
    await sleep(isRunning ? endWithinMs : 0, ending.signal);
    if (isRunning) {
      const since = this.interrupt.aborted ? 'until you ended it' : `after ${duration.print(this.tried.durationMs)}`;
      return { step: `still running ${since}` };
    }
    if ((await ended) === 'finished') return { step: 'finished' };
    return {
      step: 'finished',
      why: `left by ${this.#hidden(Object.keys(figures.report().causes.left ?? {})[0] ?? '')}`,
    };
  }

  #checked(): StepOutcome[] {
    return [...this.#checks].map(([name, { kept, broken }]) => {
      const times = kept + broken;
      return { step: `check ${name}`, ...(broken > 0 && { why: `broken ${broken} of ${times} times` }) };
    });
  }

  #check(name: string, isKept: boolean): void {
    const shown = this.#hidden(String(name));
    const counts = this.#checks.get(shown) ?? { kept: 0, broken: 0 };
    this.#checks.set(shown, counts);
    counts[isKept ? 'kept' : 'broken']++;
    this.#step(`check ${isKept ? 'kept' : 'broken'}: ${shown}`);
  }

  #caught(error: unknown): void {
    const text = this.#hidden(thrownInWords(error, this.tried.name));
    this.#threw.push(text);
    this.#step(`threw ${text}`);
  }

  #frame({ atNs, isSent, message, line }: FlowFrame): void {
    const isBinary = typeof message !== 'string';
    this.tell({
      ...this.#now(line, atNs),
      ...{ isSent, isBinary, size: Buffer.byteLength(message) },
      content: isBinary ? this.#mask.hexOf(message) : this.#hidden(message),
    });
  }

  #step(step: string, line?: string): void {
    this.tell({ ...this.#now(line), step: this.#hidden(step) });
  }

  #now(line: string | undefined, atNs = nowNs()) {
    return { client: this.tried.number, atMs: (atNs - this.#startedNs) / 1e6, ...(line !== undefined && { line }) };
  }

  /** Returns a text without secrets: those known before, and values of fields such as `token`. */
  #hidden(text: string): string {
    this.#hide([...text.matchAll(secretField)].map(([, value = '']) => value));
    return this.#mask.hide(text);
  }

  #hide(values: readonly string[]): void {
    const fresh = values.filter((value) => value.length >= leastHiddenPart && !this.#secrets.has(value));
    if (fresh.length === 0) return;
    for (const value of fresh) this.#secrets.add(value);
    this.#mask.add(fresh, hidden);
  }
}

/** Fields whose values are secrets, in JSON and in queries. */
const secretField = /(?:token|passw(?:or)?d|secret|api_?key)\w*(?:["']\s*:\s*["']|=)([^"'&\s]{6,})/gi;

function textsIn(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn);
  return typeof value === 'string' ? [value] : [];
}

function requestInWords({ method, url, us, status, cause }: SeenRequest): string {
  const outcome = status === undefined ? cause : `status ${status}${cause === undefined ? '' : ', not expected'}`;
  return `${method} ${url.pathname}${url.search}: ${outcome}, ${(us / 1000).toFixed(1)} ms`;
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { encodeCounts, encodeSamples } from '../../src/measure/samples/samples.js';
import { recordPaths } from '../../src/targets/metronome/record.js';
import type { TargetStats } from '../../src/targets/target.js';
import { asked, receive, send } from '../http-side.js';
import { answerOther, answerPublish, isPublish } from '../routes.js';
import type { Metronome } from './metronome.js';
import type { Choice } from './record/deeds.js';
import type { Read } from './timing/loop.js';

type Close = (many: number, code: number | undefined) => void;

/** The HTTP endpoints of a metronome. All but publishes answer in a freeze, too. */
export function metronomeHttp(metronome: Metronome, stats: () => TargetStats, close: Close): Server {
  const firstReads = new FirstReads(metronome);
  const server = createServer((request, response) => {
    const read = firstReads.take(request.socket);
    const { method, path, query } = asked(request);
    if (isPublish(method, path)) receivePublish(metronome, stats, read, request, response, firstReads);
    else if (method === 'GET' && isRecordPath(path))
      void answerRecord(metronome, path, new URLSearchParams(query), response);
    else if (method === 'POST' && path === '/_close') answerClose(close, new URLSearchParams(query), response);
    else void answerOther({ publish: () => undefined, stats }, method, path).then((answer) => send(response, answer));
  });
  server.on('connection', (socket) => firstReads.watch(socket));
  server.on('upgrade', (_request, socket) => firstReads.forget(socket as Socket));
  return server;
}

/** When the first bytes of a connection's current request were read. */
class FirstReads {
  readonly #reads = new WeakMap<Socket, Read>();
  readonly #watchers = new WeakMap<Socket, () => void>();

  constructor(private readonly metronome: Metronome) {}

  watch(socket: Socket): void {
    const watcher = () => {
      if (!this.#reads.has(socket)) this.#reads.set(socket, this.metronome.pacer.reads.stamp());
    };
    this.#watchers.set(socket, watcher);
    // Before the HTTP parser, which listens to the same event.
    socket.prependListener('data', watcher);
  }

  /** When the request began whose head was just read. */
  take(socket: Socket): Read {
    const read = this.#reads.get(socket) ?? this.metronome.pacer.reads.stamp();
    this.#reads.delete(socket);
    return read;
  }

  /** The request has ended: what comes next is another. */
  end(socket: Socket): void {
    this.#reads.delete(socket);
  }

  forget(socket: Socket): void {
    const watcher = this.#watchers.get(socket);
    if (watcher !== undefined) socket.off('data', watcher);
  }
}

function receivePublish(
  metronome: Metronome,
  stats: () => TargetStats,
  read: Read,
  request: IncomingMessage,
  response: ServerResponse,
  firstReads: FirstReads,
): void {
  receive(request, (body) => {
    firstReads.end(request.socket);
    metronome.pacer.pass(() => {
      let status: number = 201;
      const publish = (broadcast: Parameters<Metronome['publish']>[0]) => {
        status = metronome.publish(broadcast, read);
      };
      const answer = answerPublish({ publish, stats }, body);
      if (status === 201) send(response, answer);
      else send(response, { status, body: '{"message":"refused by order"}' });
    });
  });
}

function isRecordPath(path: string): boolean {
  return (Object.values(recordPaths) as string[]).includes(path);
}

async function answerRecord(
  { deeds }: Metronome,
  path: string,
  query: URLSearchParams,
  response: ServerResponse,
): Promise<void> {
  const choice = choiceOf(query);
  if (choice === undefined) {
    send(response, { status: 400, body: '{"message":"\\"from\\" is not a sequence number"}' });
    return;
  }
  if (path === recordPaths.summary) send(response, { status: 200, body: JSON.stringify(deeds.summary(choice)) });
  else if (path === recordPaths.connections)
    send(response, { status: 200, body: JSON.stringify(deeds.connections(choice)) });
  else {
    const bytes =
      path === recordPaths.writes
        ? await encodeCounts(deeds.writes(choice))
        : await encodeSamples(deeds.samples(choice, path === recordPaths.asked ? 'asked' : 'done'));
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': bytes.length }).end(bytes);
  }
}

/** `POST /_close?first=13&code=1001`: all connections without a number, a cut without a code. */
function answerClose(close: Close, query: URLSearchParams, response: ServerResponse): void {
  const [first, code] = [query.get('first'), query.get('code')];
  close(first === null ? Number.POSITIVE_INFINITY : Number(first), code === null ? undefined : Number(code));
  send(response, { status: 204, body: '' });
}

function choiceOf(query: URLSearchParams): Choice | undefined {
  const from = query.get('from') ?? '0';
  return /^\d{1,10}$/.test(from) ? { from: Number(from), stream: query.get('stream') ?? undefined } : undefined;
}

import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { z } from 'zod';
import { version } from '../../src/contract/version.js';
import { encodeCounts, encodeSamples } from '../../src/measure/samples/encoding.js';
import { optionsOf } from '../../src/options/option.js';
import { resolveOptions } from '../../src/options/resolve.js';
import { metronomeOptions, ordersInWords, ordersOf } from '../../src/targets/metronome/orders.js';
import { recordPaths } from '../../src/targets/metronome/record.js';
import type { TargetStats } from '../../src/targets/target.js';
import { fail, runServer, type TargetServer } from '../foreground.js';
import { asked, listen, receive, send, shut } from '../http-side.js';
import { answerOther, answerPublish, type Broadcast, type HttpAnswer, isPublish, refusal, tooLong } from '../routes.js';
import { statsReader } from '../stats.js';
import type { Choice, DeliveryRecord } from './deeds.js';
import type { PublishApi, SignedRequest } from './dialects/dialect.js';
import { dialects } from './dialects/list.js';
import { Metronome } from './metronome.js';
import { MetronomeUpgrades, wallOptions } from './upgrades.js';

const name = 'metronome';

const commandLine = z.strictObject({
  protocol: z
    .enum(Object.keys(dialects) as [keyof typeof dialects, ...(keyof typeof dialects)[]])
    .default('ws-json')
    .meta({ flag: 'protocol', help: 'what clients speak' }),
  ...metronomeOptions.shape,
  ...wallOptions.shape,
});

function metronomeServer(values: Readonly<Record<string, string>>): TargetServer {
  const flags = Object.fromEntries(optionsOf(commandLine).map(({ key, flag }) => [key, values[flag]]));
  const resolved = resolveOptions(commandLine, { flags });
  if (!resolved.ok) {
    const lines = resolved.issues.map((each) => `${each.option}: expected ${each.expected}, received ${each.received}`);
    return fail(name, lines.join('; '), 2);
  }
  const { protocol, take, wall, together, keepBytes, backlog, ...options } = resolved.values;
  const dialect = dialects[protocol];
  const metronome = new Metronome(ordersOf(options), dialect);
  const stats = statsReader({
    versions: { metronome: version },
    settings: ordersInWords(options),
    connections: () => upgrades.count,
  });
  const http = metronomeHttp(metronome, stats, (many, code) => upgrades.closeOldest(many, code), dialect.api);
  const upgrades = new MetronomeUpgrades(http, metronome, dialect, { take, wall, together, keepBytes, backlog });
  return {
    version,
    listen: (host, port) => listen(http, host, port, backlog),
    close: () => shut(http, () => upgrades.close()),
  };
}

type Close = (many: number, code: number | undefined) => void;

/** Serves the HTTP endpoints of a metronome. During a freeze, all but publishes are still answered. */
function metronomeHttp(
  metronome: Metronome,
  stats: () => TargetStats,
  close: Close,
  api: PublishApi | undefined,
): Server {
  /** When the first bytes of each connection's current request were read. */
  const readAtNs = new WeakMap<Socket, number>();
  const server = createServer((request, response) => {
    const read = readAtNs.get(request.socket) ?? metronome.pacer.nowNs();
    readAtNs.delete(request.socket);
    const { method, path, query } = asked(request);
    const record = method === 'GET' ? records.get(path) : undefined;
    const publish = (answer: (body: string | undefined) => HttpAnswer): void =>
      receive(request, (body) => {
        // Its body came behind its head. The next bytes belong to another request.
        readAtNs.delete(request.socket);
        metronome.pacer.pass(() => send(response, answer(body)));
      });
    if (isPublish(method, path)) publish((body) => published(metronome, read, body));
    else if (method === 'POST' && api?.isOf(path))
      publish((body) => publishedBy(api, metronome, read, body === undefined ? body : { method, path, query, body }));
    else if (record !== undefined) void answerRecord(metronome, record, query, response);
    else if (method === 'POST' && path === '/_close') answerClose(close, new URLSearchParams(query), response);
    else void answerOther({ stats }, method, path).then((answer) => send(response, answer));
  });
  server.on('connection', (socket) => {
    // This runs before the HTTP parser, which listens to the same event.
    socket.prependListener('data', () => {
      if (!readAtNs.has(socket)) readAtNs.set(socket, metronome.pacer.nowNs());
    });
  });
  return server;
}

const refusedByOrder: HttpAnswer = { status: 503, body: '{"message":"refused by order"}' };

function published(metronome: Metronome, readAtNs: number, body: string | undefined): HttpAnswer {
  let status = 201;
  const publish = (broadcast: Broadcast): void => {
    status = metronome.publish(broadcast, readAtNs);
  };
  const answer = answerPublish({ publish }, body);
  return status === 201 ? answer : refusedByOrder;
}

function publishedBy(
  api: PublishApi,
  metronome: Metronome,
  readAtNs: number,
  request: SignedRequest | undefined,
): HttpAnswer {
  if (request === undefined) return tooLong();
  const asked = api.read(request);
  if (!Array.isArray(asked)) return asked;
  const statuses = asked.map((broadcast) => metronome.publish(broadcast, readAtNs));
  return statuses.includes(503) ? refusedByOrder : { status: 200, body: '{}' };
}

type RecordOf = (deeds: DeliveryRecord, choice: Choice) => object | Promise<Uint8Array>;

/** Maps each path of the record to its answer: an object as JSON, or encoded bytes. */
const records = new Map<string, RecordOf>([
  [recordPaths.summary, (deeds, choice) => deeds.summary(choice)],
  [recordPaths.connections, (deeds, choice) => deeds.connections(choice)],
  [recordPaths.writes, (deeds, choice) => encodeCounts(deeds.writes(choice))],
  [recordPaths.asked, (deeds, choice) => encodeSamples(deeds.samples(choice, 'asked'))],
  [recordPaths.done, (deeds, choice) => encodeSamples(deeds.samples(choice, 'done'))],
]);

async function answerRecord(
  { deeds }: Metronome,
  record: RecordOf,
  query: string,
  response: ServerResponse,
): Promise<void> {
  const choice = choiceOf(new URLSearchParams(query));
  if (choice === undefined) return send(response, refusal(400, '"from" is not a sequence number'));
  const answer = await record(deeds, choice);
  if (!(answer instanceof Uint8Array)) return send(response, { status: 200, body: JSON.stringify(answer) });
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': answer.length }).end(answer);
}

/** Answers `POST /_close?first=13&code=1001`. Without a number it closes all. Without a code it cuts them. */
function answerClose(close: Close, query: URLSearchParams, response: ServerResponse): void {
  const [first, code] = [query.get('first'), query.get('code')];
  close(first === null ? Number.POSITIVE_INFINITY : Number(first), code === null ? undefined : Number(code));
  send(response, { status: 204, body: '' });
}

function choiceOf(query: URLSearchParams): Choice | undefined {
  const from = query.get('from') ?? '0';
  return /^\d{1,10}$/.test(from) ? { from: Number(from), stream: query.get('stream') ?? undefined } : undefined;
}

await runServer(name, ({ values }) => metronomeServer(values), {
  valued: optionsOf(commandLine).map(({ flag }) => flag),
});

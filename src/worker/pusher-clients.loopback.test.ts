import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { Heard } from '../../test/doubles/session-recorders.js';
import { jobBody } from '../../test/stage/job-body.js';
import { workplace } from '../../test/workplace.js';
import { payloadFormat } from '../measure/samples/payload.js';
import type { Clients } from '../protocols/protocol.js';
import { type Job, parseJob } from '../scenarios/job.js';
import { clientKinds } from '../scenarios/load-options.js';
import { openClients } from './clients.js';
import { HttpPublish } from './publish.js';

const place = workplace();
const stream = 'ringside-7b39ba6e';
const format = payloadFormat('7b39ba6e', 200);
const opened: { close(): unknown }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

function jobOf(port: number, client: string, protocolOptions: Record<string, unknown> = {}): Job {
  const at = { wsUrls: [`ws://127.0.0.1:${port}`], publishUrl: `http://127.0.0.1:${port}` };
  const what = { scenario: 'latency', protocol: 'pusher', protocolOptions, stream, options: {} };
  return parseJob(jobBody({ ...what, ...at, load: { client } }));
}

async function clientsOf(job: Job): Promise<{ clients: Clients; events: Heard }> {
  const events = new Heard();
  const clients = await openClients(job, format, { first: 11, capacity: 3 }, events);
  opened.push({ close: () => clients.dispose() });
  return { clients, events };
}

const metronome = () => place.serve('servers/metronome/main.js', ['--protocol', 'pusher']);

async function subscribed({ clients, events }: Awaited<ReturnType<typeof clientsOf>>, client: number): Promise<void> {
  clients.open(client);
  await events.seen(`${client} ready`);
  clients.subscribe(client, stream);
  await events.seen(`${client} subscribed ${stream}`);
}

const hears = ({ heard }: Heard, last: string) => expect.poll(() => heard, { timeout: 30_000 }).toContain(last);

/** A target of the test's own, which does `act` to each connection, and the event names that come in. */
async function targetThat(act: (socket: WebSocket) => void) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  const said: string[] = [];
  const asked: string[] = [];
  server.on('connection', (socket, { url = '' }) => {
    asked.push(url);
    socket.on('message', (data) => said.push(String((JSON.parse(String(data)) as { event: string }).event)));
    act(socket);
  });
  await once(server, 'listening');
  opened.push({
    close() {
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  });
  return { port: (server.address() as AddressInfo).port, said, asked };
}

const established = JSON.stringify({
  event: 'pusher:connection_established',
  data: JSON.stringify({ socket_id: '11.13', activity_timeout: 120 }),
});

describe.each(clientKinds)('%s clients of a Pusher server', (kind) => {
  it.each(['public', 'private', 'presence'])('hear publishes in %s channels, signed over HTTP', async (channel) => {
    const { port } = await metronome();
    const job = jobOf(port, kind, { pusherChannel: channel });
    const made = await clientsOf(job);
    await subscribed(made, 0);
    await subscribed(made, 1);
    const http = new HttpPublish(job);
    opened.push(http);
    expect(await http.publish(format.text(0, 7))).toBe(200);
    await hears(made.events, '0:7');
    await hears(made.events, '1:7');
    const wrong = new HttpPublish(jobOf(port, kind, { pusherSecret: 'wrong' }));
    opened.push(wrong);
    expect(await wrong.publish(format.text(0, 11))).toBe(401);
    if (channel !== 'public') {
      expect(made.clients.whisper?.(0, stream, 13)).toBe(true);
      await hears(made.events, '1:13');
    }
    expect(await http.publish(format.text(0, 17))).toBe(200);
    await hears(made.events, '0:17');
    await hears(made.events, '1:17');
    const whispers = channel === 'public' ? [] : ['1:13'];
    expect(made.events.heard.toSorted()).toEqual(['0:17', '0:7', ...whispers, '1:17', '1:7'].toSorted());
  });

  it('survive an error that ends no session', async () => {
    const channel = `private-${stream}`;
    const target = await targetThat((socket) => {
      socket.send(established);
      socket.on('message', () => {
        socket.send(JSON.stringify({ event: 'pusher_internal:subscription_succeeded', channel, data: '{}' }));
        socket.send('{"event":"pusher:error","data":{"code":4301,"message":"slow down"}}');
        socket.send(JSON.stringify({ event: 'message', channel, data: format.text(0, 5) }));
      });
    });
    const made = await clientsOf(jobOf(target.port, kind));
    await subscribed(made, 0);
    await hears(made.events, '0:5');
    expect(made.events.lines).toEqual(['0 opened', '0 ready', `0 subscribed ${stream}`]);
  });

  it('count a wrong key and a wrong signature as refusals behind the 101', async () => {
    const { port } = await metronome();
    const strangers = await clientsOf(jobOf(port, kind, { pusherKey: 'other' }));
    strangers.clients.open(0);
    await strangers.events.seen('0 closed rejected:4001 do not reconnect true');
    expect(strangers.events.lines).toEqual(['0 opened', '0 closed rejected:4001 do not reconnect true']);
    const forgers = await clientsOf(jobOf(port, kind, { pusherSecret: 'wrong' }));
    forgers.clients.open(0);
    await forgers.events.seen('0 ready');
    forgers.clients.subscribe(0, stream);
    await forgers.events.seen('0 closed rejected:subscription_error true');
  });

  it.each([
    [4001, 'do not reconnect'],
    [4100, 'reconnect after a back-off'],
    [4200, 'reconnect at once'],
  ])('count an end by %i once, with its meaning, and come back only when they are opened', async (code, meaning) => {
    const { port } = await metronome();
    const made = await clientsOf(jobOf(port, kind));
    await subscribed(made, 0);
    await request(`http://127.0.0.1:${port}/_close?code=${code}`, { method: 'POST' });
    const closed = `0 closed rejected:${code} ${meaning} true`;
    await made.events.seen(closed);
    made.clients.open(0);
    await made.events.seen('0 ready', 2);
    made.clients.subscribe(0, stream);
    await made.events.seen(`0 subscribed ${stream}`, 2);
    const once = ['0 opened', '0 ready', `0 subscribed ${stream}`];
    expect(made.events.lines).toEqual([...once, closed, ...once]);
  });

  it('count a close frame alone with the meaning of its code, before and behind the welcome', async () => {
    const bare = await targetThat((socket) => socket.close(4009));
    const refused = await clientsOf(jobOf(bare.port, kind));
    refused.clients.open(0);
    await refused.events.seen('0 closed close-code:4009 do not reconnect true');
    const fickle = await targetThat((socket) => {
      socket.send(established);
      socket.on('message', () => socket.close(4103));
    });
    const left = await clientsOf(jobOf(fickle.port, kind));
    left.clients.open(0);
    await left.events.seen('0 ready');
    left.clients.subscribe(0, stream);
    await left.events.seen('0 closed close-code:4103 reconnect after a back-off true');
    expect([bare.asked.length, fickle.asked.length]).toEqual([1, 1]);
  });

  it('ask for the app and name their protocol, and answer pings', async () => {
    const target = await targetThat((socket) => {
      socket.send(established);
      socket.send('{"event":"pusher:ping","data":{}}');
    });
    const made = await clientsOf(jobOf(target.port, kind, { pusherKey: 'k-7' }));
    made.clients.open(0);
    await expect.poll(() => target.said, { timeout: 30_000 }).toEqual(['pusher:pong']);
    const { pathname, searchParams } = new URL(target.asked[0]!, 'ws://a.test');
    expect([pathname, searchParams.get('protocol')]).toEqual(['/app/k-7', '7']);
    expect(searchParams.get('client')).toBe(kind === 'wire' ? 'ringside' : 'js');
    expect(searchParams.get('version')).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('are refused by what is no Pusher server', async () => {
    const target = await targetThat((socket) => socket.send('{"type":"welcome"}'));
    const made = await clientsOf(jobOf(target.port, kind));
    made.clients.open(0);
    await expect.poll(() => made.events.lines.at(-1), { timeout: 30_000 }).toMatch(/^0 closed .+ true$/);
  });
});

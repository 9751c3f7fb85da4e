import { existsSync, readFileSync } from 'node:fs';
import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { protocolByName } from '../src/protocols/list.js';
import type { Clients } from '../src/protocols/protocol.js';
import { type RunningTarget, startTarget } from '../src/targets/launch/process.js';
import { targetByName } from '../src/targets/list.js';
import { RecordingEvents } from '../test/doubles/session-recorders.js';
import { eventually, publishTo } from '../test/ws-json-client.js';

const stream = 'rails';

let running: RunningTarget;
let clients: Clients;
let events: RecordingEvents;

async function start(name: string, processes = 1): Promise<void> {
  running = await startTarget(targetByName(name)!, { host: '127.0.0.1', processes });
}

/** Subscribes that many clients of the library. */
async function subscribe(count: number): Promise<void> {
  events = new RecordingEvents();
  const protocol = protocolByName(running.target.protocol)!;
  clients = await protocol.libraryClients(events.setup(running.endpoints.wsUrl), events);
  for (let client = 0; client < count; client++) {
    await events.join(clients, client, stream);
  }
}

const publish = (sequence: number): Promise<void> =>
  publishTo(running.endpoints.publishUrl, JSON.stringify({ m: `seq:${sequence}` }), stream);

/** The command lines of what the first process has started, by pid. Redis writes its title over its environment. */
function started(): Map<number, string> {
  const pids = readFileSync(`/proc/${running.pid}/task/${running.pid}/children`, 'utf8').trim().split(' ').map(Number);
  return new Map(pids.map((pid) => [pid, commandOf(pid)]));
}

/** Empty for a process that is gone, and for one that only waits to be reaped. */
function commandOf(pid: number): string {
  return existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') : '';
}

const living = (pids: Iterable<number>): number[] => [...pids].filter((pid) => commandOf(pid) !== '');

afterEach(() => {
  clients.dispose();
  return running.stop();
});

const rails = await targetByName('action-cable')!.availability();
describe.skipIf(!rails.isAvailable)('Action Cable on workers of Puma', () => {
  it('reaches clients of all workers from any of them, and tells how many each has', async () => {
    await start('action-cable', 3);
    const count = 13;
    await subscribe(count);
    for (const sequence of [2, 3, 5]) await publish(sequence);
    for (let client = 0; client < count; client++)
      for (const sequence of [2, 3, 5]) await events.seen(`${client} delivered ${sequence}`);
    const stats = (await (await request(running.endpoints.statsUrl!)).body.json()) as {
      connections: number;
      processes: { connections: number }[];
    };
    expect(stats.connections).toBe(count);
    expect(stats.processes.map(({ connections }) => connections).reduce((sum, each) => sum + each)).toBe(count);
    // The first only starts the others.
    expect(stats.processes).toHaveLength(4);
    expect(stats.processes[0]).toMatchObject({ connections: 0 });
    const pids = [...started().keys()];
    expect(pids).toHaveLength(4);
    await running.stop();
    expect(living(pids)).toEqual([]);
  });

  it.each([1, 3])('leaves neither Redis nor workers behind when it is killed with %i processes', async (processes) => {
    await start('action-cable', processes);
    await subscribe(2);
    const pids = [...started().keys()];
    expect(pids).toHaveLength(processes === 1 ? 1 : processes + 1);
    process.kill(running.pid, 'SIGKILL');
    await expect.poll(() => living(pids), eventually).toEqual([]);
  });

  it('ends with the program beside it', async () => {
    await start('action-cable');
    await subscribe(2);
    const [[pid, command] = []] = started();
    expect(command).toContain('redis-server');
    process.kill(pid!, 'SIGKILL');
    expect(await running.exited).toMatchObject({ code: 1 });
    expect(running.stderrTail().join('\n')).toContain('redis-server');
  });
});

const anycable = await targetByName('action-cable-anycable')!.availability();
describe.skipIf(!anycable.isAvailable)('the same behind AnyCable', () => {
  it('has its clients at anycable-go, and resumes them from its history', async () => {
    await start('action-cable-anycable');
    await subscribe(2);
    await publish(7);
    await Promise.all([events.seen('0 delivered 7'), events.seen('1 delivered 7')]);
    clients.drop(0, 'reset');
    await publish(11);
    await events.seen('1 delivered 11');
    clients.open(0);
    await events.seen('0 ready', 2);
    clients.subscribe(0, stream);
    await events.seen('0 resumed true');
    await events.seen('0 delivered 11');
    expect([...started().values()]).toEqual([expect.stringContaining('--rpc_host=')]);
  });

  it('leaves nothing behind when it is killed', async () => {
    await start('action-cable-anycable');
    await subscribe(1);
    const pids = [...started().keys()];
    process.kill(running.pid, 'SIGKILL');
    await expect.poll(() => living(pids), eventually).toEqual([]);
  });
});

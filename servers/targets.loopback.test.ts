import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { protocolByName } from '../src/protocols/list.js';
import type { Clients, Verb } from '../src/protocols/protocol.js';
import { loadOptions } from '../src/scenarios/load-options.js';
import { type RunningTarget, startTarget } from '../src/targets/launch/process.js';
import { targets } from '../src/targets/list.js';
import { runtimes } from '../src/targets/needs/list.js';
import type { Target } from '../src/targets/target.js';
import { HttpPublish } from '../src/worker/publish.js';
import { RecordingEvents } from '../test/doubles/session-recorders.js';
import { familyOf } from '../test/family.js';
import { testable } from '../test/testable.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ringside-targets-')));
afterAll(() => rmSync(folder, { recursive: true }));

/** Every target, and once more on each runtime that can be named. */
const contestants = targets.flatMap((target) => [
  { name: target.name, target },
  ...(target.isKnownTruth
    ? []
    : runtimes.flatMap((runtime) => {
        const other = target.on?.(runtime);
        return other ? [{ name: `${target.name} on ${runtime.name}`, target: other }] : [];
      })),
]);
const rows = await Promise.all(
  contestants.map(async ({ name, target }) => {
    const there = await testable(target);
    const title = there.isAvailable ? 'serves two clients of the library' : `is not here: ${there.why}`;
    return { name, target, isHere: there.isAvailable, title };
  }),
);

const stream = 'contract';

describe.each(rows)('$name', ({ target, isHere, title }) => {
  describe.skipIf(!isHere)(title, () => {
    const { verbs } = protocolByName(target.protocol)!;
    const has = (verb: Verb): boolean => verbs.includes(verb) && !target.lacks?.includes(verb);
    let running: RunningTarget;
    let publish: HttpPublish;
    let events: RecordingEvents;
    let clients: Clients;

    beforeEach(async () => {
      running = await startTarget(target, { host: '127.0.0.1', env: { TMPDIR: folder } });
      publish = publishOf(running);
      events = new RecordingEvents();
      clients = await clientsOf(target, running.endpoints.wsUrl, events);
      for (const client of [0, 1]) {
        await events.join(clients, client, stream);
      }
    });

    afterEach(async () => {
      clients.dispose();
      await publish.close();
      await running.stop();
    });

    /** Resolves once both have a delivery. */
    async function both(sequence: number): Promise<void> {
      for (const client of [0, 1]) await events.seen(`${client} delivered ${sequence}`);
    }

    it('that get what is published, once, and leave no process', async () => {
      if (has('subscribe')) {
        expect(acks).toContain(await publish.publish(dataOf(7)));
        await both(7);
      }
      if (has('batch')) {
        expect(acks).toContain(await publish.together?.publish([dataOf(19), dataOf(23)]));
        await both(19);
        await both(23);
      }
      if (has('broadcast')) {
        clients.broadcast?.(0, stream, 11);
        await both(11);
      }
      if (has('acknowledge')) await events.seen('0 acknowledged 11');
      if (has('echo')) {
        clients.echo?.(0, 13);
        await events.seen('0 delivered 13');
      }
      if (has('whisper')) {
        clients.whisper?.(0, stream, 17);
        await events.seen('1 delivered 17');
      }
      const seen = events.lines.filter((line) => line.includes('delivered'));
      expect(seen).toHaveLength(new Set(seen).size);
      expect(seen).not.toContain('0 delivered 17');
      clients.drop(1, 'reset');
      await events.join(clients, 1, stream, 2);
      if (has('subscribe')) {
        expect(acks).toContain(await publish.publish(dataOf(29)));
        await both(29);
      }
      expect(familyOf(folder).map(({ pid }) => pid)).toContain(running.pid);
      await running.stop();
      expect(familyOf(folder)).toEqual([]);
    });
  });
});

const acks = [200, 201];

function dataOf(sequence: number): string {
  return JSON.stringify({ m: `seq:${sequence}` });
}

/** What publishes to a target as a run does. */
function publishOf({ target, endpoints }: RunningTarget): HttpPublish {
  const { publishUrl } = endpoints;
  return new HttpPublish({
    ...{ stream, load: loadOptions.parse({}), protocol: target.protocol, protocolOptions: {} },
    target: { wsUrls: [endpoints.wsUrl], publishUrl, furtherPublishUrls: [], publishHeaders: {} },
  });
}

function clientsOf({ protocol }: Target, url: string, events: RecordingEvents): Promise<Clients> {
  return protocolByName(protocol)!.libraryClients(events.setup(url), events);
}

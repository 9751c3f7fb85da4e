import { describe, it, type TestContext } from 'vitest';
import { cuts, cuttingTarget } from '../../test/cutting-targets.js';
import { jobBody } from '../../test/stage/job-body.js';
import { listening } from '../../test/stage/listening.js';
import { valuesOf, workerOnStage } from '../../test/stage/worker-on-stage.js';
import { nowNs } from '../measure/rig/clock.js';
import { payloadFormat } from '../measure/samples/payload.js';
import { ownProtocols } from '../protocols/list.js';
import type { DropMode } from '../protocols/protocol.js';
import { type Job, parseJob } from '../scenarios/job.js';
import { clientKinds } from '../scenarios/load-options.js';
import { planRamp } from '../scenarios/roster/ramp.js';
import { backoffDelayMs, planReturns } from '../scenarios/roster/returning.js';
import { createRoster } from '../scenarios/roster/roster.js';
import { openClients } from './clients.js';
import { sleep } from './timers.js';

const clientCount = 5;
const firstClient = 11;
const seed = 7;
const backoff = { backoffMs: 211, backoffMaxMs: 1009 };
const stream = 'spring';
const everybody = Array.from({ length: clientCount }, (_, client) => client);
const waitMs = (client: number): number => backoffDelayMs({ seed, ...backoff }, firstClient + client, 0);

function jobOf(protocol: string, client: string, port: number): Job {
  const wsUrls = [`ws://127.0.0.1:${port}/`];
  const job = parseJob(jobBody({ wsUrls, stream, seed, options: { clients: clientCount }, load: { client } }));
  return { ...job, protocol };
}

const nextTick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

/** No attempt is given up on a busy machine. */
const subscribeTimeoutMs = 60_000;

/**
 * Five clients of a kind, there with a target of their protocol, and whoever brings them back; deliveries are kept by
 * client.
 */
async function there(kind: string, protocol: string, { expect, onTestFinished }: TestContext) {
  const target = await cuttingTarget(protocol);
  onTestFinished(() => target.close());
  const { context } = workerOnStage({}, { clientCount, seed, subscribeTimeoutMs });
  const closedAtNs = new Map<number, number>();
  const delivered = everybody.map(() => [] as number[]);
  /** Each attempt to come back: who, when, and what the target had seen until then. */
  const opens: { client: number; atNs: number; attempts: number; bytesRead: number }[] = [];
  const causes = new Set<string>();
  const job = jobOf(protocol, kind, target.port);
  const format = payloadFormat(job.runId, 200);
  const looked = (client: number) => ({
    client,
    atNs: nowNs(),
    attempts: target.attempts,
    bytesRead: target.bytesRead(),
  });
  const roster = createRoster(
    {
      ...{ ...context, nowNs, sleep, firstClient, stream },
      async openClients(events) {
        const heard = listening(events, {
          closed(client, cause, wasOpen) {
            causes.add(cause.split(':')[0] as string);
            closedAtNs.set(client, nowNs());
            events.closed(client, cause, wasOpen);
          },
        });
        const made = await openClients(job, format, { first: firstClient, capacity: clientCount }, heard);
        const open = made.open.bind(made);
        made.open = (client) => {
          opens.push(looked(client));
          open(client);
        };
        return made;
      },
    },
    {
      deliveries(batch) {
        for (let i = 0; i < batch.count; i++) delivered[batch.client[i] as number]?.push(batch.sequence[i] as number);
      },
    },
  );
  onTestFinished(() => roster.dispose());
  const returning = planReturns(roster, backoff, { cut: () => undefined, back: () => undefined });
  await planRamp(roster).run(nowNs(), { ratePerSecond: 1e6 }, AbortSignal.timeout(30_000));
  expect(roster.there).toBe(clientCount);
  returning.begin();
  opens.splice(0);
  return {
    target,
    returning,
    opens,
    causes,
    delivered,
    closedAtNs: (client: number) => closedAtNs.get(client) as number,
    publish: (sequence: number) => target.publish(format.text(0, sequence)),
    async untilBack() {
      while (returning.away > 0) {
        returning.tick();
        await nextTick();
      }
    },
  };
}

/** Those that any scenario with returning clients takes. */
const subscribing = ownProtocols.filter(({ verbs }) => verbs.length > 0);
const kindsAndProtocols = clientKinds.flatMap((kind) => subscribing.map(({ name }) => [kind, name] as const));

describe.concurrent.each(kindsAndProtocols)('%s clients of %s', (kind, protocol) => {
  it.for(cuts)('that are cut by a %s come back once each, none before its seeded wait is over', async (cut, test) => {
    const { expect } = test;
    const { target, returning, opens, closedAtNs, causes, untilBack } = await there(kind, protocol, test);
    target.cut(cut);
    await expect.poll(() => returning.away, { timeout: 30_000 }).toBe(clientCount);
    await untilBack();
    const { counts, samples } = returning.report();
    expect(counts).toMatchObject({ attempts: clientCount, failedAttempts: 0, underWay: 0 });
    expect(target.attempts).toBe(2 * clientCount);
    const drawn = everybody.map((client) => Math.floor(waitMs(client) * 1000));
    expect(valuesOf(samples.wait)).toEqual(drawn.sort((a, b) => a - b));
    expect(opens.map(({ client }) => client).sort()).toEqual(everybody);
    for (const { client, atNs } of opens)
      expect(atNs - closedAtNs(client)).toBeGreaterThanOrEqual(waitMs(client) * 1e6);
    expect(causes.size).toBe(1);
  });
});

describe.concurrent.each([
  ['wire', 'socketio'],
  ['library', 'socketio'],
  ['library', 'anycable'],
  ['library', 'pusher'],
] as const)('%s clients of %s inside their offline window', (kind, protocol) => {
  it.for(['reset', 'close', 'vanish'] as const)('by %s send nothing and open nothing', async (mode: DropMode, test) => {
    const { expect } = test;
    const { target, returning, opens, delivered, publish, untilBack } = await there(kind, protocol, test);
    if (protocol === 'socketio') {
      publish(3);
      await expect.poll(() => delivered.flat().length, { timeout: 30_000 }).toBe(clientCount);
    }
    const bytesRead = target.bytesRead();
    for (const client of everybody) returning.drop(client, mode, 2e9);
    // A close says so on its way out; who vanishes says nothing at all, and the target goes on as if nothing was.
    const isKnown = mode !== 'vanish';
    await expect.poll(() => target.open(), { timeout: 30_000 }).toBe(isKnown ? 0 : clientCount);
    const saidBytes = target.bytesRead();
    if (mode !== 'close') expect(saidBytes).toBe(bytesRead);
    if (protocol === 'socketio') publish(5);
    await untilBack();
    expect(opens[0]).toMatchObject({ attempts: clientCount, bytesRead: saidBytes });
    expect(target.attempts).toBe(2 * clientCount);
    expect(returning.report().counts).toMatchObject({ attempts: clientCount, failedAttempts: 0 });
    if (protocol !== 'socketio') return;
    // The one attempt of each finds the session, which is given back once.
    expect(returning.report().counts).toMatchObject({ resumes: clientCount, recovered: isKnown ? clientCount : 0 });
    await expect.poll(() => delivered, { timeout: 30_000 }).toEqual(everybody.map(() => (isKnown ? [3, 5] : [3])));
  });
});

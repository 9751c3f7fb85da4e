import { z } from 'zod';
import { resolveOrRefuse } from '../../contract/problems.js';
import { fleetOptions } from '../../run/plan/run-options.js';
import { areShardsGiven, shardOptions } from '../../run/plan/shard-options.js';
import { plain } from '../command.js';
import { drill } from './drill.js';
import { greet } from './greet.js';
import { drillExit } from './judge.js';
import { planPath } from './load.js';
import { drillOptions } from './options.js';
import { drillDocument } from './print.js';

/**
 * `ringside drill`: prints the load that a fleet can carry and what to fix. Keeps nothing and loads only the shards.
 */
export const command = plain({
  options: drillOptions,
  examples: [
    'drill',
    'drill --shards-from kubernetes',
    'drill --shard https://bench-runner-1.example.com --shard https://bench-runner-2.example.com',
    'drill --target-url ws://server.internal:3000/ws --protocol ws-json \\\n' +
      '      --publish-url http://server.internal:3000/_broadcast',
  ],
  async run(session, call) {
    const asked = resolveOrRefuse(drillOptions, call);
    const { localShards, engine, isJson, targetUrl, publishUrl } = asked;
    const hasTarget = targetUrl !== undefined || publishUrl !== undefined;
    const path = hasTarget ? planPath(call, engine) : undefined;
    const fleet = { ...fleetOptions.parse({}), ...z.object(shardOptions.shape).parse(asked), localShards };
    const { interrupt, limits, note } = session;
    const context = { engine, path, interrupt, childDescriptors: limits.descriptors, note };
    const hold = { interrupt, note, waitMs: fleet.waitMs, areGiven: areShardsGiven(fleet) };
    const found = await session.withShards(fleet, path ? [path.target] : [], async (clients) => {
      return drill(await greet(clients, hold), context);
    });
    session.printResult({ isJson }, { data: found, document: drillDocument(found, session.style) });
    return drillExit(found.findings);
  },
});

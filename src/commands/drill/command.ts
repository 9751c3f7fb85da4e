import { z } from 'zod';
import { resolveOrRefuse } from '../../contract/problems.js';
import { areShardsGiven, fleetOptions, shardOptions } from '../../run/plan/run-options.js';
import { loadOptions } from '../../scenarios/load-options.js';
import { plain } from '../command.js';
import { drill } from './drill.js';
import { drillExit } from './findings.js';
import { pathOptions, planPath } from './load.js';
import { drillDocument } from './print.js';

const { localShards, isJson } = fleetOptions.shape;
const { engine: engineOption } = loadOptions.shape;

/** Options of `drill`: the fleet, the engine, and a target whose path it measures. */
export const drillOptions = z.strictObject({
  ...shardOptions.shape,
  ...{ localShards, engine: engineOption },
  ...pathOptions.shape,
  isJson,
});

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
    const { engine, targetUrl, publishUrl } = asked;
    const hasTarget = targetUrl !== undefined || publishUrl !== undefined;
    const path = hasTarget ? planPath(call, engine) : undefined;
    const ofShards = z.object(shardOptions.shape).parse(asked);
    const fleet = { ...fleetOptions.parse({}), ...ofShards, localShards: asked.localShards };
    const { interrupt, limits, note } = session;
    const hold = { interrupt, note, waitMs: fleet.waitMs, areGiven: areShardsGiven(fleet) };
    const found = await session.withShards(fleet, path ? [path.target] : [], (clients) =>
      drill(clients, { ...hold, engine, path, childDescriptors: limits.descriptors }),
    );
    await session.printResult({ isJson: asked.isJson }, { data: found, document: drillDocument(found) });
    return drillExit(found.findings);
  },
});

import { z } from 'zod';
import { ProblemError, problem } from '../../contract/problems.js';
import { resolveOrRefuse } from '../../contract/refusal.js';
import { areShardsGiven, shardOptions } from '../../run/plan/shard-options.js';
import { knownShards, opener, refuseAmbiguous } from '../../run/shards/shard-addresses.js';
import { type CommandGroup, formFlags, plain, type Session } from '../command.js';
import { applyTo, type Change, changeOptions } from './engines.js';
import { renderStatus } from './print.js';
import { type ShardState, silentState, stateOf } from './state.js';

const { shards, shardsFrom, token } = shardOptions.shape;

/** Options of `fleet status`. */
export const statusOptions = z.strictObject({ shards, shardsFrom, token, isJson: formFlags.isJson });

const status = plain({
  summary: 'show each bench-runner: version, cores, clock, round trip, engine, and who holds it',
  options: statusOptions,
  examples: ['fleet status --shard dns+http://shards:8080', 'fleet status --shards-from kubernetes'],
  async run(session, given) {
    const options = resolveOrRefuse(statusOptions, given);
    const states = await statesOf(session, options);
    session.printResult(options, { document: { shards: states }, text: (style) => renderStatus(states, style) });
    return states.every(({ why }) => why === null) ? 'clean' : 'input';
  },
});

async function statesOf(session: Session, options: z.output<typeof statusOptions>): Promise<ShardState[]> {
  if (!areShardsGiven(options)) {
    const message = 'expected --shard or --shards-from, received neither';
    throw new ProblemError([problem('badOption', message)]);
  }
  const known = await knownShards(options, session.engines);
  const open = opener(options);
  await refuseAmbiguous(known.shards, open);
  const states = await Promise.all(
    known.shards.map(async (shard) => {
      const client = open(shard);
      return stateOf(client).finally(() => client.close());
    }),
  );
  const all = [...states, ...known.missing.map(({ message }) => silentState(null, message))];
  if (all.length > 0) return all;
  throw new ProblemError([problem('shardsMissing', `--shards-from ${options.shardsFrom}: no bench-runner found`)]);
}

const changing = (change: Change, summary: string) =>
  plain({
    summary,
    flags: changeOptions[change],
    examples: [`fleet ${change} --on compose`],
    run: (session, { own }) => applyTo(session.engines, change, own),
  });

/** `ringside fleet status`, `fleet up` and `fleet down`. */
export const command: CommandGroup = {
  commands: {
    status,
    up: changing('up', "start bench-runners by an engine's own tool"),
    down: changing('down', 'end what `fleet up` started'),
  },
};

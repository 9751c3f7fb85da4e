import { z } from 'zod';
import { exitCodes } from '../src/contract/exit-codes.js';
import { measurePeers, peersTable } from './bench/peers/peers.js';
import { measureTruth, truthTable } from './bench/peers/truth.js';
import { madeInTurn, runScript, toStderr } from './bench/script.js';
import { ofFlows } from './bench/table.js';

const options = z.strictObject({
  isQuick: z.boolean().default(false).meta({ flag: 'quick', help: 'one round of smaller loads, for a first look' }),
  only: z.array(z.string()).default([]).meta({
    flag: 'only',
    placeholder: 'text',
    help: 'only peers and measurements whose name has this text; repeatable',
  }),
});

/** Measures Ringside beside other WebSocket readers, in turn, and prints one table. Exits with 1 if one failed. */
await runScript('bench-peers', options, async ({ isQuick, only }, signal) => {
  const isAsked = (name: string): boolean =>
    only.length === 0 || only.some((text) => name.toLowerCase().includes(text.toLowerCase()));
  const figures = await measurePeers(isAsked, isQuick, signal);
  if (figures.length > 0) process.stdout.write(`${peersTable(figures)}\n`);
  const truth = await measureTruth(isAsked, isQuick, signal);
  if (truth.length > 0) process.stdout.write(`${truthTable(truth)}\n`);
  const flows = ofFlows.filter(({ name }) => isAsked(name));
  const { text, isKept } = await madeInTurn(flows, [], toStderr({ isQuick, signal }));
  if (flows.length > 0) process.stdout.write(`${text}\n`);
  const hasFailed =
    figures.some(({ failures }) => failures.length > 0) || truth.some(({ failure }) => failure !== undefined);
  return isKept && !hasFailed ? 0 : exitCodes.bug.code;
});

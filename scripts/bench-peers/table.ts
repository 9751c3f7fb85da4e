import { median } from 'simple-statistics';
import { columns } from '../../src/render/words/table.js';
import { count } from '../../src/units/words.js';
import { costOf, type Round, readsOf } from '../bench-rig/rounds.js';
import type { HeldCost } from './measure.js';

/** What was measured of one peer. */
export interface PeerFigures {
  name: string;
  /** Why it is not here, and the command that brings it. */
  lack?: string;
  rounds: readonly Round[];
  /** Of each further client, by round. */
  held: readonly HeldCost[];
  /** By round: the p99 that it reports, if it does, and that of the server's own timestamps. */
  p99: readonly { reportedMs: number | undefined; serverMs: number }[];
  /** What went wrong. */
  failures: readonly string[];
}

const none = '–';
const head = [
  '',
  'CPU per delivery',
  'reads per delivery',
  'memory per idle client',
  'CPU per connection',
  'p99 it reports',
  'p99 of the server',
];

/** One line for each peer; below, what is not here or went wrong. */
export function peersTable(peers: readonly PeerFigures[]): string {
  const here = peers.filter(({ lack }) => lack === undefined);
  const notes = peers.flatMap(({ name, lack, failures }) => [
    ...(lack === undefined ? [] : [`${name} is not here: ${lack}`]),
    ...failures.map((failure) => `${name}: ${failure}`),
  ]);
  return [columns(head, here.map(row)), ...notes].join('\n');
}

function row({ name, rounds, held, p99 }: PeerFigures): string[] {
  const reads = readsOf(rounds);
  const reported = p99.flatMap(({ reportedMs }) => reportedMs ?? []);
  return [
    name,
    rounds.length === 0 ? none : `${costOf(rounds).toFixed(1)} us`,
    reads === undefined ? none : reads.toFixed(2),
    bytesOf(held.map(({ bytesPerClient }) => bytesPerClient)),
    held.length === 0 ? none : `${count(Math.round(median(held.map(({ openUs }) => openUs))))} us`,
    reported.length === 0 ? none : `${median(reported).toFixed(1)} ms`,
    p99.length === 0 ? none : `${median(p99.map(({ serverMs }) => serverMs)).toFixed(1)} ms`,
  ];
}

/** Memory that once shrank with more clients scatters by more than these take. */
function bytesOf(rounds: readonly number[]): string {
  const isTold = rounds.length > 0 && rounds.every((each) => each > 0);
  return isTold ? `${count(Math.round(median([...rounds])))} bytes` : none;
}

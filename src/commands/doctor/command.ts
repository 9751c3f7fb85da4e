import { z } from 'zod';
import type { EngineOffer } from '../../contract/engine.js';
import type { MachineLimits } from '../../contract/shard.js';
import { readMachine } from '../../measure/rig/machine.js';
import { type Document, type Part, toned } from '../../render/document/document.js';
import { clientBytes, descriptorsBeside, kernelBytes } from '../../run/plan/preflight.js';
import { switchOf } from '../../run/plan/run-options.js';
import { targets } from '../../targets/list.js';
import { needs } from '../../targets/needs/list.js';
import { footprintOf } from '../../targets/target.js';
import { clientsPerAddress, leastAddresses } from '../../units/addresses.js';
import { countText } from '../../units/text.js';
import { plain } from '../command.js';
import { needRow } from '../install/command.js';

const unknown = 'unknown on this system';

/** `ringside doctor`: prints how many clients this machine carries and what limits them; targets on request. */
export const command = plain({
  flags: z.strictObject({ hasTargets: switchOf('targets', 'show which managed targets can start here, and why not') }),
  async run(session, { own: { hasTargets } }) {
    const { limits } = session;
    const most = clientsCarried(limits);
    const machine = readMachine();
    const advice = stateAdvice(machine);
    const facts = [...factsOf(machine, limits), engineRow(await session.engine())];
    const document: Document = {
      title: 'what this machine can carry',
      isTitleHidden: true,
      parts: [
        { isAnswer: true, blocks: [toned.title(carriedInWords(most))] },
        { blocks: [{ facts }] },
        { title: advice.length > 0 ? toned.doubtful('what changes figures here') : '', blocks: advice },
        ...(hasTargets ? await targetParts() : [{ blocks: [toned.aside('--targets: what can start here')] }]),
      ],
      suites: [],
    };
    await session.printResult({}, { data: { most, machine, advice }, document });
  },
});

async function targetParts(): Promise<Part[]> {
  const rows = await Promise.all(
    targets.map(async (target) => {
      const here = await target.availability();
      if (here.isAvailable) return [target.name, 'ready', here.version];
      return [target.name, 'not available', `${here.why.replace(/\.?$/, '.')} ${here.hint}`];
    }),
  );
  const installs = needs.map((need) => needRow(need)).map(({ name, state, where }) => [name, state, where]);
  return [
    { blocks: [{ head: ['target', 'here', ''], rows, left: [0, 1, 2], ifNarrow: 'columns' }] },
    { blocks: [{ head: ['install', 'here', ''], rows: installs, left: [0, 1, 2], ifNarrow: 'columns' }] },
  ];
}

interface Most {
  clients: number;
  limit: string;
}

/** A publish in flight takes a descriptor; 64 is the default of `--max-in-flight`. */
const besideClients = descriptorsBeside + 64;

/**
 * Returns the most clients of one bench-runner with its target on this machine, and what limits them. Undefined if no
 * limit is known.
 */
export function clientsCarried(
  limits: Pick<MachineLimits, 'descriptors' | 'connectionTracking' | 'memoryAvailableBytes'>,
): Most | undefined {
  const { descriptors, connectionTracking: tracking, memoryAvailableBytes: bytes } = limits;
  const bytesEach = 2 * kernelBytes + clientBytes.native + footprintOf('ws').connection;
  const found = [
    ...(descriptors === null ? [] : [{ clients: descriptors - besideClients, limit: 'open files (ulimit -n)' }]),
    ...(tracking === null ? [] : [{ clients: tracking.most - tracking.tracked, limit: 'connection tracking' }]),
    ...(bytes === null ? [] : [{ clients: bytes / bytesEach, limit: 'memory' }]),
  ];
  const [least] = found.toSorted((a, b) => a.clients - b.clients);
  return least && { ...least, clients: Math.max(0, Math.floor(least.clients)) };
}

/** Formats a limit with two digits, rounded down. */
export function carriedInWords(most: Most | undefined): string {
  if (most === undefined) return 'the number of clients is limited by nothing that this system tells';
  const unit = 10 ** Math.max(0, String(most.clients).length - 2);
  return `about ${countText(Math.floor(most.clients / unit) * unit)} clients here; limited by ${most.limit}`;
}

function engineRow({ name, why, openssl }: EngineOffer): [string, string] {
  const secure = openssl === undefined ? 'js for wss://: this Node has no OpenSSL 3' : `OpenSSL ${openssl} for wss://`;
  return ['wire engine', why === undefined ? `${name}, ${secure}` : `${name}: ${why}`];
}

function factsOf(
  machine: ReturnType<typeof readMachine>,
  { descriptors, sourcePorts, connectionTracking, memoryAvailableBytes }: MachineLimits,
): [string, string][] {
  const available = memoryAvailableBytes === null ? '' : `, of which ${inGib(memoryAvailableBytes)} are available`;
  const share = `a bench-runner needs one per client and publish in flight, and ${countText(descriptorsBeside)} more`;
  const addresses = `loopback uses one address per ${countText(clientsPerAddress)} clients, at least ${leastAddresses}`;
  return [
    ['cpu', `${machine.cores} × ${machine.cpu}`],
    ['memory', inGib(machine.memoryBytes) + available],
    ['system', `${machine.kernel}, ${machine.runtime}`],
    [
      'file descriptors',
      descriptors === null ? unknown : `${countText(descriptors)} per process (ulimit -n); ${share}`,
    ],
    ['source ports', sourcePorts === null ? unknown : `${countText(sourcePorts)} per source address; ${addresses}`],
    ['connection tracking', trackingOf(connectionTracking)],
  ];
}

function trackingOf(tracking: MachineLimits['connectionTracking']): string {
  if (tracking === null) return 'none seen in this network';
  return `${countText(tracking.most)} connections at most; --own-network leaves them`;
}

function inGib(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}

/** Idle states that wake up faster disappear in the latency of any server. */
const wakesFastUs = 20;

/** Says what of a machine's state changes conclusions, and what to do: a line each. */
export function stateAdvice({
  governor,
  turbo,
  smt,
  wakeUs = 0,
  virtualisation,
}: ReturnType<typeof readMachine>): string[] {
  const isSlowing = governor !== undefined && governor !== 'performance';
  const isVirtual = virtualisation !== undefined && virtualisation !== 'none';
  return [
    ...(isSlowing ? [`governor ${governor} slows idle cores: sudo cpupower frequency-set -g performance`] : []),
    ...(turbo === 'on' ? ['turbo changes speed within minutes: compare in pairs, or turn it off'] : []),
    ...(smt === 'on' ? ['SMT: target and load may share a core: taskset both, or turn it off'] : []),
    ...(wakeUs > wakesFastUs
      ? [`idle cores take ${wakeUs} µs to wake up: sudo cpupower idle-set -D ${wakesFastUs}`]
      : []),
    ...(isVirtual
      ? [`virtual machine (${virtualisation}): others may take its cores; results count it as stolen`]
      : []),
  ];
}

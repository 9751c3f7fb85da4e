import type { RunningTarget } from '../../../src/targets/launch/process.js';
import { type Bench, type Bound, printers } from '../bench.js';
import { type CpuCost, compareCpu } from '../compare-cpu.js';
import { audienceJob, type ClientKind } from '../processes/audience.js';
import type { AudienceCommands } from '../processes/audience-child.js';
import { MeasuredProcess } from '../processes/child.js';
import { withTarget } from '../processes/places.js';

const clients = 10_000;
const ratePerSecond = 2000;

const cpu: Bound = {
  what: 'CPU per connection opened, wire client / library client',
  atMost: 0.55,
  print: printers.ratio,
};

/**
 * Compares the CPU per WebSocket, from the start of TCP to the answered upgrade, of wire clients and the real library.
 */
export const opening: Bench = {
  name: 'opening',
  bounds: [cpu],
  run: (context) =>
    withTarget((target) => compareCpu(cpu, context, (client, turn) => measure(target, client, turn, context.signal))),
};

async function measure(target: RunningTarget, client: ClientKind, turn: number, signal: AbortSignal): Promise<CpuCost> {
  const job = audienceJob(target, client, clients);
  // Each turn has its own addresses. Ports in TIME_WAIT would slow the search for a free one.
  const request = { ...job, load: { client, localAddresses: [`127.0.${turn + 1}.2-127.0.${turn + 1}.9`] } };
  const child = new MeasuredProcess<AudienceCommands>('bench-rig/processes/audience-child.js', signal);
  try {
    const { user, system } = await child.ask('openOnly', { request, ratePerSecond });
    return { units: clients, userUs: user, systemUs: system };
  } finally {
    await child.stop();
  }
}

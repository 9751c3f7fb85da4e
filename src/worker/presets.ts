import { type Flow, Left } from '../flow/api.js';
import { type GameEntry, gameFlow } from '../flow/game.js';
import { completeAddress, upgradeTo } from '../protocols/client-options.js';
import { protocolWith } from '../protocols/list.js';
import { dialectOf } from '../protocols/socketio/packet.js';
import type { GameOptions } from '../scenarios/game/options.js';
import { filledUpgrade, jsonEscaped, numberOnly, withSlots } from '../units/slots.js';
import type { Users } from './logins.js';
import type { PlainJob } from './messages.js';

/** Makes the flow of a scenario that is one of ours. */
type Preset = (job: PlainJob, users: Users | undefined) => Flow;

/** Flows of our own, by the names of their scenarios. */
export const presets: Readonly<Record<string, Preset>> = {
  game: (job, users) => gameFlow(job.options as GameOptions, entriesOf(job, users), job.load.subscribeTimeoutMs),
};

/** Returns how each client reaches a Socket.IO server. The function throws `Left` for one that can't. */
function entriesOf({ protocol: name, protocolOptions, target }: PlainJob, users: Users | undefined) {
  const protocol = protocolWith(name, protocolOptions);
  if (!protocol) throw new Error(`no protocol ${name}: a parsed job names one of the list`);
  const { namespace, auth = '' } = dialectOf(protocolOptions);
  const prefix = namespace === '/' ? '' : `${namespace},`;
  const addresses = target.wsUrls.map((url) =>
    upgradeTo(completeAddress(protocol, url, protocolOptions), protocolOptions),
  );
  return (client: number): GameEntry => {
    const failure = users?.failureOf(client);
    if (failure !== undefined) throw new Left(failure);
    const values = users?.valuesOf(client) ?? numberOnly(client);
    const { subprotocols, ...upgrade } = filledUpgrade(addresses[client % addresses.length]!, values);
    return { ...upgrade, protocols: subprotocols, prefix, hello: `40${prefix}${withSlots(auth, values, jsonEscaped)}` };
  };
}

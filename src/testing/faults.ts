import { parseArgs } from 'node:util';

/** What a faulty target does wrong; by default nothing. */
export interface Faults {
  /** Leaves out every nth delivery. */
  dropEvery?: number | undefined;
  /** Sends every nth delivery twice, unless it is left out. */
  twiceEvery?: number | undefined;
  /** Holds every nth broadcast back until the next one was sent. */
  swapEvery?: number | undefined;
  /** Holds every delivery back for at least this long. */
  delayMs: number;
  /** Answers the upgrade with this HTTP status. */
  upgradeStatus?: number | undefined;
  /** Closes each connection with this code as soon as it is open. */
  closeCode?: number | undefined;
  /** Never confirms a subscription. */
  isUnconfirming: boolean;
  /** Answers publishes with this HTTP status, and delivers nothing unless it is 201. */
  publishStatus: number;
  /** Answers every nth broadcast with 503, and delivers nothing of it. */
  refuseEvery?: number | undefined;
  /** Never answers a publish. */
  isMute: boolean;
  /** Ends its process at the publish that follows this many. */
  exitAfter?: number | undefined;
  /** Cuts every client at the publish that follows this many. */
  cutAfter?: number | undefined;
}

const number = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const options = {
  'drop-every': number,
  'twice-every': number,
  'swap-every': number,
  delay: number,
  'upgrade-status': number,
  'close-code': number,
  'no-confirm': flag,
  'publish-status': number,
  'refuse-every': number,
  mute: flag,
  'exit-after': number,
  'cut-after': number,
};

/** Reads the flags of a faulty target. Throws on an unknown one. */
export function readFaults(args: string[]): Faults {
  const { values } = parseArgs({ args, options });
  const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));
  return {
    dropEvery: numberOf(values['drop-every']),
    twiceEvery: numberOf(values['twice-every']),
    swapEvery: numberOf(values['swap-every']),
    delayMs: numberOf(values.delay) ?? 0,
    upgradeStatus: numberOf(values['upgrade-status']),
    closeCode: numberOf(values['close-code']),
    isUnconfirming: values['no-confirm'],
    publishStatus: numberOf(values['publish-status']) ?? 201,
    refuseEvery: numberOf(values['refuse-every']),
    isMute: values.mute,
    exitAfter: numberOf(values['exit-after']),
    cutAfter: numberOf(values['cut-after']),
  };
}

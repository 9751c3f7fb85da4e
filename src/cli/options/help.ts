import type { Command } from 'commander';
import type { Option } from '../../options/option.js';

/** Flags that the short help of a run shows beside those of its load. */
const basics = new Set([
  ...['target', 'target-url', 'target-file', 'protocol', 'publish-url'],
  ...['threshold', 'repeat', 'json', 'watch', 'shard'],
]);

/** Returns true if the short help shows an option. `isOfLoad`: it is of the scenario itself. */
export function isBasic(flag: string, isOfLoad: boolean): boolean {
  return isOfLoad || basics.has(flag);
}

/** Returns true if a call asks for the help of all options: `--help all`. */
export function asksForAll(argv: readonly string[]): boolean {
  const [help, all] = argv.slice(-2);
  return all === 'all' && (help === '--help' || help === '-h');
}

/** Returns true if only other protocols than this one have the option. Without one, all options may be meant. */
export function isOfOtherProtocol({ protocols }: Option, protocol: string | undefined): boolean {
  return protocol !== undefined && protocols !== undefined && !protocols.includes(protocol);
}

/** Counts the options that `--help all` would show besides those of the short help. */
export function countHidden({ options }: Command): number {
  return options.filter(({ hidden, description }) => hidden && description !== '').length;
}

/** Says where the other options are, and how an option is given without a flag. */
export function noteOnOptions(path: string, hidden: number): string {
  const others = hidden > 0 ? `\`ringside ${path} --help all\` shows ${hidden} more options.\n` : '';
  const ways = 'As a variable, --ramp-rate is RINGSIDE_RAMP_RATE; in --file it is rampRate.';
  return `\n${others}${ways}`;
}

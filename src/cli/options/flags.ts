import { type Command, Option } from 'commander';
import type { z } from 'zod';
import type { Call, PlainCommand } from '../../commands/command.js';
import { problemError, resolveOrRefuse } from '../../contract/problems.js';
import { fileKey, letters, optionsOf, type Option as Setting, variablesOf } from '../../options/option.js';
import type { GivenForRun } from '../../run/plan/plan.js';
import { isMap, readYaml } from '../../units/text.js';
import { isInOwnNetwork } from '../own-network.js';
import { checkVariables } from './variables.js';

interface Taken extends Pick<PlainCommand, 'options' | 'flags' | 'hasFile'> {
  load?: ShownLoad | undefined;
}

/** The load of a command, and the protocol that its call names. The help shows no options of others. */
interface ShownLoad {
  options: z.ZodObject;
  protocol?: string | undefined;
}

/** Adds the flags of a command. The returned function collects everything that the user gave to it. */
export function takeOptions(command: Command, { options, flags, hasFile, load }: Taken): () => Promise<Call> {
  if (options) {
    const { argv } = process;
    const shown = load && {
      groups: groupsOf(options, load.options),
      protocol: load.protocol,
      isShort: !asksForAll(argv),
    };
    addFlags(command, options, shown);
    addForeignFlags(command, options);
  }
  if (flags) addPlainFlags(command, flags);
  if (hasFile) addFileFlag(command);
  return async () => {
    const own = flags ? resolveOrRefuse(flags, { flags: givenFlags(command, flags) }) : {};
    if (options) await checkVariables(optionsOf(options).flatMap(variablesOf));
    const call = { args: command.args, own, ...gather(command, options, hasFile === true) };
    if (options && ('protocol' in options.shape || 'targetFiles' in options.shape)) {
      const { readGivenProtocols } = await import('../../run/flow/read-protocols.js');
      await readGivenProtocols(call);
    }
    return call;
  };
}

const rest = 'More about the target:';
const loadHeading = 'Load:';
const headings = ['Target:', loadHeading, 'Thresholds and results:', 'Watch page:', 'Rig:', rest];

/** Returns the heading of each option by key, in the order of the help. `load` declares the load of the command. */
export function groupsOf(schema: z.ZodObject, load: z.ZodObject): Map<string, string> {
  const found = optionsOf(schema).map(
    ({ key, heading = key in load.shape ? loadHeading : rest }) => [key, heading] as const,
  );
  const inOrder = new Set([...headings, ...found.map(([, heading]) => heading)]);
  return new Map([...inOrder].flatMap((heading) => found.filter(([, each]) => each === heading)));
}

interface HelpOfFlags {
  groups: ReadonlyMap<string, string>;
  protocol?: string | undefined;
  isShort: boolean;
}

/** Adds a flag per option. Commander gets no defaults and no choices, as they are resolved later. */
export function addFlags(
  command: Command,
  schema: z.ZodObject,
  { groups, protocol, isShort }: Partial<HelpOfFlags> = {},
): void {
  const options = optionsOf(schema);
  const inOrder = groups ? [...groups.keys()].flatMap((key) => options.filter((each) => each.key === key)) : options;
  for (const each of inOrder) {
    const { key, flag, kind, help, defaultText = '' } = each;
    const standard = kind === 'boolean' || defaultText === '' ? '' : ` (default: ${defaultText})`;
    const option = flagOf(command, each, `${help}${standard}`);
    const group = groups?.get(key);
    if (group !== undefined) option.helpGroup(group);
    const isOfOther = protocol !== undefined && each.protocols?.includes(protocol) === false;
    // Without a text it does not count as one that `--help all` shows.
    if (isOfOther) option.description = '';
    const isMeant = protocol !== undefined && each.protocols !== undefined;
    if (isOfOther || (isShort && !isMeant && group !== loadHeading && !basics.has(flag))) option.hideHelp();
    command.addOption(option);
  }
}

export function addPlainFlags(command: Command, schema: z.ZodObject): void {
  for (const each of optionsOf(schema)) command.addOption(flagOf(command, each, each.help));
}

/** Adds `--file`, which every command that makes load accepts. */
export function addFileFlag(command: Command): void {
  const option = new Option('--file <path>', 'job file, YAML or JSON, with option names in camelCase');
  command.addOption(once(command, option));
}

/** Adds a flag of other commands or tools that says what to give here. The help does not show it. */
export function addRefusedFlag(command: Command, flag: string, why: string): void {
  const long = flag.length > 1 ? `--${flag}` : `-${flag}`;
  const short = letters.get(flag);
  const option = new Option(`${short ? `-${short}, ` : ''}${long} <value>`).hideHelp().argParser((value: string) => {
    throw problemError('badOption', `${long}: expected nothing, received ${value}`, why);
  });
  command.addOption(option);
}

/** Names in other tools, and the flags that mean the same here. */
const foreign: readonly (readonly [flag: string, names: readonly string[]])[] = [
  ['clients', ['subscribers', 'connections', 'vus']],
  ['duration', ['hold', 'z']],
  ['rate', ['arrivalRate', 'qps', 'q']],
  ['broadcasts', ['n']],
];

function addForeignFlags(command: Command, schema: z.ZodObject): void {
  const own = optionsOf(schema).map(({ flag }) => flag);
  for (const [flag, names] of foreign.filter(([each]) => own.includes(each)))
    for (const name of names) if (!own.includes(name)) addRefusedFlag(command, name, `Here it is --${flag}.`);
}

function flagOf(command: Command, setting: Setting, text: string): Option {
  const option = new Option(formOf(setting), text);
  if (setting.kind === 'boolean') return option;
  if (setting.kind === 'list') return option.argParser((each: string, before: string[] = []) => [...before, each]);
  return once(command, option, setting.severalIn);
}

/** The last of several values counts, as scripts that forward flags expect, unless `severalIn` refuses them. */
function once(command: Command, option: Option, severalIn?: string): Option {
  return option.argParser((value: string) => {
    if (command.getOptionValueSource(option.attributeName()) === undefined) return value;
    if (severalIn !== undefined) {
      const hint = `Give one, or several to \`ringside ${severalIn}\`.`;
      throw problemError('badOption', `${option.long}: expected one value, received several`, hint);
    }
    // The process that started this one in its network has already printed the note.
    if (!isInOwnNetwork()) process.stderr.write(`${option.long} is given more than once: the last one counts\n`);
    return value;
  });
}

/** Formats a flag as in the help, such as `--rate <rate>`. */
export function formOf({ flag, letter, kind, placeholder }: Setting): string {
  const named = letter === undefined ? `--${flag}` : `-${letter}, --${flag}`;
  if (kind === 'boolean') return named;
  return `${named} ${placeholder.startsWith('[') ? placeholder : `<${placeholder}>`}`;
}

export function givenFlags(command: Command, schema: z.ZodObject): Record<string, unknown> {
  const given = command.opts<Record<string, unknown>>();
  // Commander names an option like a job file does: its flag in camel case.
  const entries = optionsOf(schema).map((option) => {
    const value = given[fileKey(option)];
    // The value of `--flag [value]` may be left out. It is then the empty text.
    return [option.key, value === true && option.kind !== 'boolean' ? '' : value] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

export function gather(command: Command, schema: z.ZodObject | undefined, hasFile = true): GivenForRun {
  const path = hasFile ? command.opts<{ file?: string }>().file : undefined;
  return {
    flags: schema ? givenFlags(command, schema) : {},
    env: withoutServiceLinks(process.env),
    file: path === undefined ? {} : readJobFile(path),
  };
}

/** Matches the value that Kubernetes and Docker set for a service: `RINGSIDE_PORT=tcp://10.0.0.1:9001`. */
const serviceAddress = /^(tcp|udp|sctp):\/\/[^/]+:\d+$/;

/** Returns the environment without the addresses of a service named ringside, which no user gave as options. */
export function withoutServiceLinks(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isLink = ([name, value]: [string, string | undefined]): boolean =>
    /^RINGSIDE_(.+_)?PORT$/.test(name) && serviceAddress.test(value ?? '');
  return Object.fromEntries(Object.entries(env).filter((entry) => !isLink(entry)));
}

function readJobFile(path: string): Record<string, unknown> {
  let content: unknown;
  try {
    content = readYaml(path);
  } catch (error) {
    throw problemError('badFile', `--file ${path}: ${(error as Error).message}`);
  }
  if (isMap(content)) return content;
  // The message leaves out the content, as it may be a key.
  throw problemError('badFile', `--file ${path}: expected a map of options, received something else`);
}

const basics = new Set([
  ...['target', 'target-url', 'target-file', 'protocol', 'publish-url'],
  ...['threshold', 'repeat', 'json', 'watch', 'shard'],
]);

/** Returns true if a call asks for the help of all options: `--help all`. */
export function asksForAll(argv: readonly string[]): boolean {
  const [help, all] = argv.slice(-2);
  return all === 'all' && (help === '--help' || help === '-h');
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

import type { z } from 'zod';
import { type UnitName, units } from '../units/unit.js';

/** Describes the `.meta({ … })` of a field. The rest of an option is read from the field itself. */
export interface OptionMeta {
  flag: string;
  help: string;
  /** Unit in which users write the number. The value itself is in the unit's base. */
  unit?: UnitName;
  placeholder?: string;
  /** Heading of the help under which it stands. */
  heading?: string;
  /** Protocols that alone have it. Left out if it is not about a protocol. */
  protocols?: readonly string[];
  /** A second environment variable, read after the one of the flag. */
  shortEnv?: string;
  /** Separates the values of a list in the environment. A comma by default. */
  separator?: string;
  /** Flag, or flags, that can't be given together with this one. */
  notBeside?: string | readonly string[];
  /** Set if it is about clients alone. It can be given together with a target that is started here, too. */
  isOfClients?: boolean;
  /** Command that takes several values for this option, which takes one and refuses a second. */
  severalIn?: string;
  /** Set if values of a client replace names in braces in its text. */
  hasSlots?: boolean;
  /** Set if it is never shown, neither as a default nor in an error. */
  isSecret?: boolean;
  /** Returns the public part of a secret value, by name. Left out, results show `(hidden)` under its key. */
  shown?(value: never): Record<string, unknown>;
}

/** Describes one option for flags, environment, help and tables. */
export interface Option extends OptionMeta {
  key: string;
  env: string;
  kind: 'number' | 'string' | 'boolean' | 'list' | 'choice';
  placeholder: string;
  /** One letter for the flag: `v` for `-v`. */
  letter?: string | undefined;
  /** Absent without a default, for an empty default, and for a secret. */
  defaultText?: string;
  choices?: string[];
  isSecret: boolean;
}

/** Short flags, which mean the same in every command. */
export const letters = new Map([
  ['clients', 'c'],
  ['duration', 'd'],
  ['rate', 'r'],
  ['verbose', 'v'],
]);

/** Puts options under a heading of the help. */
export function under<S extends Record<string, z.ZodType>>(heading: string, shape: S): S {
  const entries = Object.entries(shape).map(([key, field]) => [key, field.meta({ ...field.meta(), heading })]);
  return Object.fromEntries(entries) as S;
}

/** Returns the options of a schema in order. Throws for a field that is not an option, which is a bug. */
export function optionsOf(schema: z.ZodObject): readonly Option[] {
  const options = Object.entries(schema.shape).map(([key, field]) => optionOf(key, field as z.ZodType));
  for (const [index, { key, flag }] of options.entries()) {
    const other = options.findIndex((option) => option.flag === flag);
    if (other !== index) throw new Error(`option ${key} has the flag --${flag} of ${options[other]?.key}`);
  }
  return options;
}

/** Returns the environment variables of an option. The first has precedence. */
export function variablesOf({ env, shortEnv }: Option): string[] {
  return [env, ...(shortEnv === undefined ? [] : [shortEnv])];
}

/** Returns the name of an option in a job file: its flag in camel case. */
export function fileKey(option: Option): string {
  return option.flag.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns option values as results may show them: of a secret only that it was given, or its `shown`. */
export function withoutSecretValues(
  schema: z.ZodObject,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const kept = { ...values };
  for (const { key, isSecret, shown } of optionsOf(schema)) {
    if (!isSecret || values[key] === undefined) continue;
    delete kept[key];
    Object.assign(kept, shown ? shown(values[key] as never) : { [key]: '(hidden)' });
  }
  return kept;
}

function optionOf(key: string, field: z.ZodType): Option {
  const { inner, meta, defaultValue } = peel(field);
  const { flag, help } = meta;
  if (!flag || !help) throw new Error(`option ${key} is declared without flag or help`);
  const { kind, choices } = kindOf(key, inner);
  const unit = meta.unit && units[meta.unit];
  if (meta.unit && (!unit || kind !== 'number')) throw new Error(`option ${key} can't have the unit ${meta.unit}`);
  const isSecret = meta.isSecret ?? false;
  const defaultText = isSecret ? '' : textOf(defaultValue, meta.unit);
  return {
    ...meta,
    ...{ key, flag, help, kind, isSecret, letter: letters.get(flag) },
    env: `RINGSIDE_${flag.toUpperCase().replaceAll('-', '_')}`,
    placeholder: meta.placeholder ?? unit?.placeholder ?? choices?.join('|') ?? placeholders[kind],
    ...(defaultText && { defaultText }),
    ...(choices && { choices }),
  };
}

const placeholders = { number: 'number', string: 'text', list: 'text', boolean: '', choice: '' } as const;

// Wrappers come in either order, with the metadata on any layer.
function peel(field: z.ZodType): { inner: z.ZodType; meta: Partial<OptionMeta>; defaultValue: unknown } {
  const own = (field.meta() ?? {}) as Partial<OptionMeta>;
  if (field.def.type !== 'default' && field.def.type !== 'optional') {
    return { inner: field, meta: own, defaultValue: undefined };
  }
  const wrapper = field as z.ZodDefault<z.ZodType> | z.ZodOptional<z.ZodType>;
  const below = peel(wrapper.unwrap());
  const defaultValue = 'defaultValue' in wrapper.def ? wrapper.def.defaultValue : below.defaultValue;
  return { inner: below.inner, meta: { ...below.meta, ...own }, defaultValue };
}

function kindOf(key: string, field: z.ZodType): { kind: Option['kind']; choices?: string[] } {
  switch (field.def.type) {
    case 'number':
    case 'string':
    case 'boolean':
      return { kind: field.def.type };
    case 'enum':
      return { kind: 'choice', choices: (field as z.ZodEnum).options.map(String) };
    case 'array':
      if ((field as z.ZodArray<z.ZodType>).element.def.type === 'string') return { kind: 'list' };
  }
  throw new Error(`option ${key} is of a kind that a flag can't carry: ${field.def.type}`);
}

function textOf(value: unknown, unit: UnitName | undefined): string {
  if (unit && typeof value === 'number') return units[unit].print(value);
  return Array.isArray(value) ? value.join(',') : String(value ?? '');
}

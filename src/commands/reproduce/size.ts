import type { Option } from '../../options/option.js';
import { duration } from '../../units/list.js';

/** How much of a published load runs: the share of its clients, and that of its length. */
export interface Size {
  scale: number;
  time: number;
}

const audienceFlags = ['subscribers', 'connections', 'clients', 'step'];
const withinAudience = ['room'];
const lengthFlags = ['broadcasts', 'duration', 'hold', 'before', 'sample'];

/** The published options at a size. A room is never larger than the audience, and no count falls below one. */
export function scaled(
  published: Readonly<Record<string, unknown>>,
  options: readonly Option[],
  { scale, time }: Size,
): Record<string, unknown> {
  const values = { ...published };
  const numbers = (flags: readonly string[]): [key: string, value: number][] =>
    options.flatMap(({ key, flag }) => {
      const value = values[key];
      return flags.includes(flag) && typeof value === 'number' ? [[key, value]] : [];
    });
  let clients = Number.POSITIVE_INFINITY;
  for (const [key, value] of numbers(audienceFlags)) {
    clients = shareOf(value, scale);
    values[key] = clients;
  }
  for (const [key, value] of numbers(withinAudience)) values[key] = Math.min(value, clients);
  for (const [key, value] of numbers(lengthFlags)) values[key] = shareOf(value, time);
  if (typeof values.stages === 'string') values.stages = scaledStages(values.stages, { scale, time });
  return values;
}

/** Stages such as `50s:250`: the clients by one share, the durations by the other. */
function scaledStages(stages: string, { scale, time }: Size): string {
  return stages
    .split(',')
    .map((stage) => {
      const [length = '', clients = ''] = stage.split(':');
      const ms = shareOf(duration.parse(length) ?? 0, time);
      return `${duration.print(ms)}:${shareOf(Number(clients), scale)}`;
    })
    .join(',');
}

function shareOf(value: number, share: number): number {
  return Math.max(1, Math.round(value * share));
}

/** How hard a machine's rig is loaded. */
interface Load {
  client: string;
  subscribers: number;
  ratePerSecond: number;
}

/** A load at which the rig was held against known truth. */
interface Tried {
  load: Load;
  error: { p99: number };
  isTrusted: boolean;
}

/** Where a load lies against what was tried: inside what was found right, beyond what was found wrong (by `errorUs`), or where nothing was tried. */
export type Place<T> =
  | { place: 'inside'; point: T }
  | { place: 'beyond'; point: T; errorUs: number }
  | { place: 'untried' };

/**
 * A load is inside when some trusted point of the same kind of client carried as many subscribers and as many deliveries a second, and beyond when it is
 * at least as hard as a point that was not to be trusted; of the points that say so, the nearest is named.
 */
export function placeOf<T extends Tried>(points: readonly T[], load: Load): Place<T> {
  const alike = points.filter((point) => point.load.client === load.client);
  const inside = alike.filter((point) => point.isTrusted && isAtMost(load, point.load)).sort(byDeliveries)[0];
  if (inside) return { place: 'inside', point: inside };
  const beyond = alike
    .filter((point) => !point.isTrusted && isAtMost(point.load, load))
    .sort(byDeliveries)
    .at(-1);
  return beyond ? { place: 'beyond', point: beyond, errorUs: Math.abs(beyond.error.p99) } : { place: 'untried' };
}

/** Whether the one is no harder than the other in either way. */
export function isAtMost(one: Load, other: Load): boolean {
  return one.subscribers <= other.subscribers && deliveries(one) <= deliveries(other);
}

const deliveries = ({ subscribers, ratePerSecond }: Load): number => subscribers * ratePerSecond;
const byDeliveries = (one: Tried, other: Tried): number => deliveries(one.load) - deliveries(other.load);

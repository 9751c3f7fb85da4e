/** How hard a machine's rig is loaded. */
interface Load {
  client: string;
  protocol: string;
  subscribers: number;
  ratePerSecond: number;
  payloadBytes: number;
  /** Event loops a shard. */
  workers: number;
  shards: number;
}

/** A load at which the rig was held against known truth. */
interface Tried {
  load: Load;
  /** Of the p99, in microseconds; null where too few deliveries carried one. */
  error: { p99: number | null };
  isTrusted: boolean;
}

/** Where a load lies against what was tried: inside what was found right, beyond what was found wrong, or where nothing was tried. */
export type Place<T> = { place: 'inside' | 'beyond'; point: T } | { place: 'untried' };

/**
 * A load is inside when some trusted point of the same kind of clients and the same protocol was as hard in every way, and beyond when it is itself as
 * hard in every way as a point that was wrong; of the points that say so, the nearest is named.
 */
export function placeOf<T extends Tried>(points: readonly T[], load: Load): Place<T> {
  const alike = points.filter(({ load: { client, protocol } }) => client === load.client && protocol === load.protocol);
  const inside = alike.filter((point) => point.isTrusted && isAtMost(load, point.load)).sort(byDeliveries)[0];
  if (inside) return { place: 'inside', point: inside };
  const beyond = alike
    .filter((point) => isWrong(point) && isAtMost(point.load, load))
    .sort(byDeliveries)
    .at(-1);
  return beyond ? { place: 'beyond', point: beyond } : { place: 'untried' };
}

/** Whether the rig was found wrong there: one without a p99 is not trusted, and says nothing of harder ones. */
export function isWrong({ isTrusted, error }: Tried): boolean {
  return !isTrusted && error.p99 !== null;
}

/** Whether the one is no harder than the other in any way. */
export function isAtMost(one: Load, other: Load): boolean {
  const limits = hardness(other);
  return hardness(one).every((each, way) => each <= (limits[way] as number));
}

/** Deliveries and bytes, of one broadcast and of a second, all loops together; then the same for each loop. */
function hardness({ subscribers, ratePerSecond, payloadBytes, workers, shards }: Load): number[] {
  const atOnce = [subscribers, subscribers * payloadBytes];
  const whole = [...atOnce, ...atOnce.map((each) => each * ratePerSecond)];
  return [...whole, ...whole.map((each) => each / (workers * shards))];
}

const deliveries = ({ subscribers, ratePerSecond }: Load): number => subscribers * ratePerSecond;
const byDeliveries = (one: Tried, other: Tried): number => deliveries(one.load) - deliveries(other.load);

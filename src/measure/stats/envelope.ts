/** The load of a rig. */
interface Load {
  client: string;
  /** Of wire clients. */
  engine?: string | undefined;
  protocol: string;
  subscribers: number;
  ratePerSecond: number;
  payloadBytes: number;
  /** Event loops of each shard. */
  workers: number;
  shards: number;
}

/** A calibrated load. */
interface Tried {
  load: Load;
  /** Error of the p99 in microseconds; null with too few deliveries. */
  error: { p99: number | null };
  isTrusted: boolean;
}

/** Where a load lies: inside what was right, beyond what was wrong, or untried. */
export type LoadPlace<T> = { place: 'inside' | 'beyond'; point: T } | { place: 'untried' };

/** Loads that differ in one of these say nothing of each other. */
const kindOf = ['client', 'engine', 'protocol'] as const;

/** The nearest point of the same kind: as hard and trusted, or wrong and no harder than the load. */
export function placeOf<T extends Tried>(points: readonly T[], load: Load): LoadPlace<T> {
  const alike = points.filter((point) => kindOf.every((key) => point.load[key] === load[key]));
  const inside = alike.filter((point) => point.isTrusted && isAtMost(load, point.load)).sort(byDeliveries)[0];
  if (inside) return { place: 'inside', point: inside };
  const beyond = alike
    .filter((point) => isWrong(point) && isAtMost(point.load, load))
    .sort(byDeliveries)
    .at(-1);
  return beyond ? { place: 'beyond', point: beyond } : { place: 'untried' };
}

/** Whether the rig was wrong there; a point without a p99 says nothing. */
export function isWrong({ isTrusted, error }: Tried): boolean {
  return !isTrusted && error.p99 !== null;
}

/** Whether one load is at most as hard as the other in every way. */
export function isAtMost(one: Load, other: Load): boolean {
  const limits = hardness(other);
  return hardness(one).every((each, way) => each <= (limits[way] as number));
}

/** Deliveries and bytes of a broadcast and of a second, in total and for each loop. */
function hardness({ subscribers, ratePerSecond, payloadBytes, workers, shards }: Load): number[] {
  const atOnce = [subscribers, subscribers * payloadBytes];
  const whole = [...atOnce, ...atOnce.map((each) => each * ratePerSecond)];
  return [...whole, ...whole.map((each) => each / (workers * shards))];
}

const deliveries = ({ subscribers, ratePerSecond }: Load): number => subscribers * ratePerSecond;
const byDeliveries = (one: Tried, other: Tried): number => deliveries(one.load) - deliveries(other.load);

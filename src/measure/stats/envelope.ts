interface Load {
  client: string;
  engine?: string | undefined;
  protocol: string;
  clients: number;
  ratePerSecond: number;
  payloadBytes: number;
  workers: number;
  shards: number;
}

interface Tried {
  load: Load;
  /** Error of the p99 in microseconds. Null with too few deliveries. */
  error: { p99: number | null };
  isTrusted: boolean;
}

/** Places a load: inside the loads that were right, beyond those that were wrong, or untried. */
export type LoadPlace<T> = { place: 'inside' | 'beyond'; point: T } | { place: 'untried' };

/** Loads that differ in one of these cannot be compared. */
const kindOf = ['client', 'engine', 'protocol'] as const;

/** Returns the nearest point of the same kind: trusted and as hard, or wrong and no harder than the load. */
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

/** Returns true if the rig was wrong at that point. A point without a p99 is never wrong. */
export function isWrong({ isTrusted, error }: Tried): boolean {
  return !isTrusted && error.p99 !== null;
}

/** Returns true if one load is at most as hard as the other in every way. */
export function isAtMost(one: Load, other: Load): boolean {
  const limits = hardness(other);
  return hardness(one).every((each, way) => each <= limits[way]!);
}

/** Returns deliveries and bytes per broadcast and per second, in total and for each loop. */
function hardness({ clients, ratePerSecond, payloadBytes, workers, shards }: Load): number[] {
  const atOnce = [clients, clients * payloadBytes];
  const whole = [...atOnce, ...atOnce.map((each) => each * ratePerSecond)];
  return [...whole, ...whole.map((each) => each / (workers * shards))];
}

const deliveries = ({ clients, ratePerSecond }: Load): number => clients * ratePerSecond;
const byDeliveries = (one: Tried, other: Tried): number => deliveries(one.load) - deliveries(other.load);

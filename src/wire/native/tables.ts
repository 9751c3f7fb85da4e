/** Clients of one native thread, whose descriptor table is its own: so many fit a usual limit of 20,000 descriptors. */
export const clientsPerTable = 19_000;

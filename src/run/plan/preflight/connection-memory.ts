/**
 * Kernel memory of one end of an idle TCP connection. Measured: MemAvailable over a million loopback connections,
 * both ends in C, Linux 6.18, 2026-11-22.
 */
export const kernelBytes = 3700;

/**
 * Memory of the bench-runner for one subscribed idle client, by engine. Measured: its RSS over `run idle` with 300,000
 * and 60,000 clients, Node 20, 2026-11-23. Real client libraries need more.
 */
export const clientBytes = { native: 300, js: 4300 };

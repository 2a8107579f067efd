/** How PostgreSQL is set up: for a ledger on a small machine that it shares with the service. */

import { release, totalmem } from "node:os";

const [kernelMajor = 0, kernelMinor = 0] = release().split(".").map(Number);

/**
 * How files are brought to disk at the first start, and before the recovery from a crash. One by one, a thousand
 * files take seconds on a busy machine. The whole file system at once takes one call, which since Linux 5.8 tells
 * of every failure, too.
 */
export const bulkSync =
  process.platform === "linux" && (kernelMajor > 5 || (kernelMajor === 5 && kernelMinor >= 8))
    ? "syncfs"
    : "fsync";

const megabyte = 1024 * 1024;
const leastBuffers = 128;
const mostBuffers = 4096;

/**
 * How many megabytes of pages PostgreSQL keeps at hand: an eighth of the machine's or the container's memory, within
 * bounds. Imports and postings for members at random touch pages all over: with too few at hand, each costs a copy.
 * @param limit bytes that the process may use; 0 or more than there is where nothing limits it
 */
export function sharedBuffers(memory: number, limit: number): number {
  const bytes = limit > 0 ? Math.min(memory, limit) : memory;
  return Math.min(mostBuffers, Math.max(leastBuffers, Math.floor(bytes / 8 / megabyte)));
}

const buffers = sharedBuffers(totalmem(), process.constrainedMemory());

const settings: Readonly<Record<string, string>> = {
  // Said although they are the defaults: no edit of postgresql.conf may cost an accepted operation.
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  recovery_init_sync_method: bulkSync,

  max_connections: "100",
  shared_buffers: `${buffers}MB`,
  // The system's own cache of files holds as much again, or more.
  effective_cache_size: `${Math.max(512, 2 * buffers)}MB`,
  work_mem: "8MB",
  maintenance_work_mem: "64MB",

  // Checkpoints far enough apart to spare full-page images, near enough that recovery takes seconds. What is left
  // of the images is written as it is: pglz, the one way to compress them that these binaries have, makes them a third
  // of their size and takes 100 µs and more for each, several times as much as the posting that it belongs to.
  checkpoint_timeout: "5min",
  max_wal_size: "2GB",
  min_wal_size: "256MB",
  wal_compression: "off",

  // Short statements by index: compiling, parallel workers (which need a large /dev/shm) and I/O workers only cost.
  jit: "off",
  max_parallel_workers_per_gather: "0",
  max_parallel_maintenance_workers: "0",
  io_method: "sync",
  max_logical_replication_workers: "0",
  random_page_cost: "1.1",

  // The ledger only grows, while wallets are updated in place all the time: little and often.
  autovacuum_naptime: "15s",
  autovacuum_max_workers: "2",
  autovacuum_vacuum_scale_factor: "0.05",
  autovacuum_vacuum_insert_scale_factor: "0.05",
  autovacuum_analyze_scale_factor: "0.02",
  autovacuum_vacuum_cost_limit: "1000",

  // Written to standard error without a time: whatever collects that adds one. Statements and details stay out of it:
  // they hold members' data.
  log_min_messages: "warning",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_checkpoints: "off",
  log_line_prefix: "",
  logging_collector: "off",
  log_destination: "stderr",
  lc_messages: "C",

  timezone: "UTC",
  log_timezone: "UTC",
};

/**
 * The arguments of `postgres`. Settings are given there, not in postgresql.conf, so that an upgrade of the
 * service changes them.
 * @param overrides later ones win
 */
export function postgresArguments(
  pgdata: string,
  ...overrides: readonly Readonly<Record<string, string>>[]
): string[] {
  const all = Object.assign({}, settings, ...overrides) as Record<string, string>;
  return ["-D", pgdata, ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

/** The arguments of PostgreSQL: its socket, and settings for a ledger on a small machine that the service shares. */
import { release, totalmem } from "node:os";
import { join } from "node:path";

export const databaseUser = "loyalty";
export const databaseName = "loyalty";

/** Part of the socket's name. Each server has its own directory, so all use the same number. */
export const socketPort = 5432;
/** The socket is in the directory of the data, which only the owner of the data can enter. */
export const socketOf = (pgdata: string) => join(pgdata, `.s.PGSQL.${socketPort}`);
/** The address of a socket has 104 bytes on macOS and 108 on Linux, including a zero byte. */
export const longestSocketPath = 103;

const [kernelMajor = 0, kernelMinor = 0] = release().split(".").map(Number);

/**
 * How files are written to disk at the first start and before crash recovery. Syncing a thousand files one by one takes
 * seconds on a busy machine. One call can sync the whole file system, and reports every failure since Linux 5.8.
 */
export const bulkSync =
  process.platform === "linux" && (kernelMajor > 5 || (kernelMajor === 5 && kernelMinor >= 8))
    ? "syncfs"
    : "fsync";

const megabyte = 1024 * 1024;
const leastBuffers = 128;
const mostBuffers = 4096;

/**
 * Returns the megabytes of shared buffers: an eighth of the machine's or the container's memory, within bounds.
 * Imports and postings for random members touch many pages, and each page that is not buffered must be copied.
 * @param limit bytes that the process may use; without a limit it is 0 or more than the memory
 */
export function sharedBuffers(memory: number, limit: number): number {
  const bytes = limit > 0 ? Math.min(memory, limit) : memory;
  return Math.min(mostBuffers, Math.max(leastBuffers, Math.floor(bytes / 8 / megabyte)));
}

const buffers = sharedBuffers(totalmem(), process.constrainedMemory());

const settings: Readonly<Record<string, string>> = {
  // These are the defaults. They are set here, so that an edit of postgresql.conf can't change them.
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  recovery_init_sync_method: bulkSync,

  max_connections: "100",
  shared_buffers: `${buffers}MB`,
  // The file cache of the system is at least as large.
  effective_cache_size: `${Math.max(512, 2 * buffers)}MB`,
  work_mem: "8MB",
  maintenance_work_mem: "64MB",

  // Rare checkpoints save full-page images; frequent ones keep recovery short. The images are not compressed: these
  // binaries only have pglz, which takes 100 µs or more for each, several times as long as a posting.
  checkpoint_timeout: "5min",
  max_wal_size: "2GB",
  min_wal_size: "256MB",
  wal_compression: "off",

  // Compilation, parallel workers (which need a large /dev/shm) and I/O workers make short index lookups slower.
  jit: "off",
  max_parallel_workers_per_gather: "0",
  max_parallel_maintenance_workers: "0",
  io_method: "sync",
  max_logical_replication_workers: "0",
  random_page_cost: "1.1",

  // The ledger only grows, and wallets are often updated in place. Small, frequent runs suit both.
  autovacuum_naptime: "15s",
  autovacuum_max_workers: "2",
  autovacuum_vacuum_scale_factor: "0.05",
  autovacuum_vacuum_insert_scale_factor: "0.05",
  autovacuum_analyze_scale_factor: "0.02",
  autovacuum_vacuum_cost_limit: "1000",

  // Log collectors add the time. Statements and details are not logged, because they contain members' data.
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
 * Returns the arguments of `postgres`. They contain the settings, so that an upgrade of the service changes them.
 * @param path the path by which the server reaches the data
 * @param name the name of the server in the titles of its processes
 * @param overrides settings that replace the ones above
 */
export function postgresArguments(
  path: string,
  name: string,
  overrides: Readonly<Record<string, string>>,
): string[] {
  const all = {
    ...settings,
    ...overrides,
    listen_addresses: "",
    port: String(socketPort),
    // The setting is a list. The quotes keep a comma in the path from dividing it.
    unix_socket_directories: `"${path.replaceAll('"', '""')}"`,
    unix_socket_permissions: "0700",
    cluster_name: name,
  };
  return ["-D", path, ...Object.entries(all).flatMap(([key, value]) => ["-c", `${key}=${value}`])];
}

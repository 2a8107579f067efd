import { expect, it } from "vitest";
import { reportsProblem } from "./error.ts";

it.each([
  "WARNING:  could not remove old WAL segment",
  'FATAL:  could not write lock file "postmaster.pid": No space left on device',
  'PANIC:  could not write to file "pg_wal/xlogtemp.42": No space left on device',
  "LOG:  server process (PID 42) was terminated by signal 9: Killed",
  "LOG:  checkpointer process (PID 42) exited with exit code 1",
])("shows %s", (line) => expect(reportsProblem(line)).toBe(true));

it.each([
  "LOG:  database system is ready to accept connections",
  'LOG:  listening on Unix socket "/tmp/.s.PGSQL.5432"',
  'ERROR:  duplicate key value violates unique constraint "idempotency_key_pkey"',
  "FATAL:  the database system is starting up",
  "FATAL:  terminating connection due to administrator command",
  "WARNING:  terminating connection because of crash of another server process",
  "",
])("keeps back %s", (line) => expect(reportsProblem(line)).toBe(false));

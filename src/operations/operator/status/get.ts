import type { Static } from "typebox";
import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { readDatabaseStatus } from "../../../database/server.ts";
import { listStoppedEndpoints, readWebhookHealth } from "../../../database/webhooks/leases.ts";
import { balanceLimit } from "../../../domain/ledger.ts";
import { ownReasons } from "../../../domain/webhooks/endpoint.ts";

const mean = (description: string, example: number) =>
  Type.Number({ minimum: 0, maximum: balanceLimit, description, examples: [example] });
const timeOf = (description: string) =>
  fields.nullable(fields.utcTimestamp, description, "2026-04-17 07:30:00");
const mostStopped = 20;
const stopped = Type.Object({
  business_id: fields.businessId,
  endpoint_id: fields.identifier("The endpoint.", 7),
  host: fields.returnedText(300, "The host of its URL.", "example.com"),
  status: fields.choice(["failing", "disabled"], "Its status.", "failing"),
  disabled_reason: fields.nullable(
    fields.choice(ownReasons, "Why it is disabled.", "gone"),
    "Why it is disabled: it had failed for five days, its receiver responded with 410, LOYALTY_SECRET has changed, or its business is a copy.",
    null,
  ),
  failing_seconds: fields.nullable(
    fields.count("Seconds.", 3600),
    "For how many seconds it has been failing; null if it is disabled.",
  ),
});
const status = Type.Object({
  version: fields.returnedText(255, "The service's version.", "0.1.0"),
  schema_version: fields.count("The number of the last migration.", 2),
  uptime_seconds: fields.count("The number of seconds since the process started.", 86_400),
  database: Type.Object(
    {
      kind: fields.choice(["embedded", "external"], "Whether the service runs the database itself."),
      version: fields.returnedText(255, "The version of PostgreSQL.", "18.1"),
      size_bytes: fields.count("The size of the database in bytes.", 48_234_496),
      shared_buffers_bytes: fields.count(
        "The size of the database's shared buffers, its cache, in bytes.",
        268_435_456,
      ),
    },
    { description: "The database." },
  ),
  businesses: fields.count("The number of businesses.", 2),
  members: fields.count("The number of members of all businesses.", 2357),
  entries: fields.count("The number of ledger entries of all businesses.", 6919),
  ledger_lead_seconds: fields.count(
    "The number of seconds by which recorded entries are later than the database's clock.",
    0,
  ),
  last_backup_at: timeOf(
    "The time in UTC at which `loyalty backup` last completed a backup of the running database, or null.",
  ),
  last_verified_at: timeOf("The time in UTC at which a part of a ledger was last verified, or null."),
  last_mismatch_at: timeOf("The time in UTC at which a verification last found a mismatch, or null."),
  requests: Type.Object(
    {
      minutes: fields.count("The number of minutes that these figures cover.", 5),
      total: fields.count("Requests.", 1200),
      rejected: fields.count("Of these, rejected with a 4xx.", 12),
      failed: fields.count("Of these, failed with a 5xx.", 0),
      mean_milliseconds: mean("The mean duration of a request.", 3.2),
    },
    { description: "The recent requests of the process that responds." },
  ),
  postings: Type.Object(
    {
      waiting: fields.count("Postings that wait or are in flight now.", 0),
      recorded: fields.count("Postings that were recorded in the same minutes.", 900),
      batches: fields.count("The number of groups that recorded them.", 240),
      mean_batch_size: mean("The mean number of postings in a group.", 3.8),
      mean_batch_milliseconds: mean("The mean duration of the transaction of a group.", 4.1),
    },
    { description: "The recent writes of this process to ledgers." },
  ),
  webhooks: Type.Object(
    {
      enabled: fields.count("Endpoints that get events.", 12),
      failing: fields.count(
        "Endpoints whose last deliveries failed. They are tried again from time to time.",
        1,
      ),
      disabled: fields.count("Endpoints that the service has disabled.", 0),
      disabled_by_request: fields.count("Endpoints that were disabled by a request.", 2),
      backlog_seconds: fields.count(
        "For how many seconds the oldest event, or a retry that is due, has not been sent to an enabled endpoint.",
        3,
      ),
      stopped: Type.Array(stopped, {
        maxItems: mostStopped,
        description: "The failing endpoints and those that the service has disabled, at most 20.",
      }),
    },
    { description: "The webhook endpoints of all businesses." },
  ),
});
export type Status = Static<typeof status>;

export const getStatus = readOperation({
  path: "/op/status/get",
  role: "viewer",
  summary: "Get the status of the service",
  message: "Status found.",
  description:
    "Returns the version, the size and content of the database, and the recent requests, errors and postings of the " +
    "process that responds.",
  input: {},
  output: status,
  async read({ sql, caller, services }) {
    const among = caller.operator?.business_ids ?? null;
    const [found, health, stopped] = await Promise.all([
      readDatabaseStatus(sql, among),
      readWebhookHealth(sql, among),
      listStoppedEndpoints(sql, among, mostStopped),
    ]);
    const { schema_version, server_version, size_bytes, shared_buffers_bytes, ...holds } = found;
    const { version, uptimeSeconds, database, queueDepth, recent } = services.status();
    const { requests, batches, postings } = recent;
    return {
      version,
      schema_version,
      uptime_seconds: uptimeSeconds,
      database: { kind: database, version: server_version, size_bytes, shared_buffers_bytes },
      ...holds,
      requests: {
        minutes: recent.minutes,
        total: requests,
        rejected: recent.rejected,
        failed: recent.failed,
        mean_milliseconds: average(recent.requestSeconds * 1000, requests),
      },
      postings: {
        waiting: queueDepth,
        recorded: postings,
        batches,
        mean_batch_size: average(postings, batches),
        mean_batch_milliseconds: average(recent.batchSeconds * 1000, batches),
      },
      webhooks: { ...health, backlog_seconds: Math.floor(health.backlog_seconds), stopped },
    };
  },
});

/** The average, with two decimals; 0 if the count is 0. */
function average(total: number, count: number): number {
  return count === 0 ? 0 : Math.round((total / count) * 100) / 100;
}

import type { Static } from "typebox";
import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { readDatabaseStatus } from "../../../database/server.ts";
import { balanceLimit } from "../../../domain/ledger.ts";

const mean = (description: string, example: number) =>
  Type.Number({ minimum: 0, maximum: balanceLimit, description, examples: [example] });
const status = Type.Object({
  version: fields.returnedText(255, "The service's version.", "0.1.0"),
  schema_version: fields.count("The number of the last migration.", 2),
  uptime_seconds: fields.count("Since the process started.", 86_400),
  database: Type.Object(
    {
      kind: Type.Enum(["embedded", "external"], {
        description: "Whether the service runs the database itself.",
        examples: ["embedded"],
      }),
      version: fields.returnedText(255, "The version of PostgreSQL.", "18.1"),
      size_bytes: fields.count("How large it is.", 48_234_496),
      shared_buffers_bytes: fields.count("The memory that it reserves for its cache.", 268_435_456),
    },
    { description: "The database." },
  ),
  businesses: fields.count("How many businesses there are.", 2),
  members: fields.count("How many members they have in all.", 2357),
  entries: fields.count("How many entries their ledgers have in all.", 6919),
  ledger_lead_seconds: fields.count(
    "By how many seconds recorded entries lie ahead of the database's clock.",
    0,
  ),
  requests: Type.Object(
    {
      minutes: fields.count("Over how many minutes these figures are.", 5),
      total: fields.count("Requests.", 1200),
      refused: fields.count("Of these, rejected with a 4xx.", 12),
      failed: fields.count("Of these, answered with a 5xx.", 0),
      mean_milliseconds: mean("How long a request took on average.", 3.2),
    },
    { description: "What the process answered lately." },
  ),
  postings: Type.Object(
    {
      waiting: fields.count("Postings that wait or are in flight now.", 0),
      recorded: fields.count("Postings of the same minutes.", 900),
      batches: fields.count("Batches that recorded them.", 240),
      mean_batch_size: mean("Postings in a batch, on average.", 3.8),
      mean_batch_milliseconds: mean("How long a batch took, on average.", 4.1),
    },
    { description: "What it wrote to ledgers lately." },
  ),
});
export type Status = Static<typeof status>;

export const getStatus = readOperation({
  path: "/op/status/get",
  summary: "Get the status of the service",
  description:
    "Version, database and what is in it, and how the process that answers is doing: its requests, errors and " +
    "batches of the last minutes.",
  message: "Status found.",
  input: {},
  output: status,
  async read({ sql, services }) {
    const { schema_version, server_version, size_bytes, shared_buffers_bytes, ...holds } =
      await readDatabaseStatus(sql);
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
        refused: recent.refused,
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
    };
  },
});

/** To two decimals; 0 of nothing. */
function average(total: number, count: number): number {
  return count === 0 ? 0 : Math.round((total / count) * 100) / 100;
}

/** A request of the demo integration that was rejected, so that there is something to see in the request log. */
import type { Connection } from "../database/connection.ts";
import { recordRequests } from "../database/requests.ts";

const hourMilliseconds = 60 * 60 * 1000;

/** Records a sale whose amount was sent with decimals. @param now milliseconds */
export async function insertRejectedRequest(
  tx: Connection,
  integrationId: number,
  now: number,
): Promise<void> {
  const of = { sender: integrationId, operation: "/sp/sales/record" };
  const at = now - hourMilliseconds;
  const rejected = {
    ...of,
    requested_at: new Date(at).toISOString(),
    request_id: "0f8fad5b-d9cb-469f-a165-70867728950e",
    status: 422,
    error_code: "validation_failed",
    reason: null,
    field_errors: [{ field: "amount", code: "invalid_type" }],
  };
  const hour = new Date(at - (at % hourMilliseconds)).toISOString();
  const counted = { ...of, hour, succeeded: 0, rejected: 1, failed: 0, unlisted: 0 };
  await recordRequests(tx, [rejected], [counted]);
}

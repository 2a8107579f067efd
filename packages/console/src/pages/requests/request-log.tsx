/** The request log: which requests of partners were rejected or failed, and why. */
import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { OperationTable } from "../../tables/operation-table.tsx";
import { texts } from "../../texts/en.ts";
import { Words } from "../../values/words.tsx";
import { Problem } from "./problem.tsx";

/** @param integrationId undefined for all integrations of the business */
export function Requests({ integrationId }: { readonly integrationId?: number }) {
  const [shown, setShown] = useState<"list" | "counts">("list");
  const request = integrationId === undefined ? {} : { integration_id: integrationId };
  const integration = integrationId === undefined ? (["integration_id"] as const) : [];
  return (
    <>
      <SegmentedControl
        mb="md"
        aria-label={texts.requests.show}
        data={[
          { value: "list", label: texts.requests.rejected },
          { value: "counts", label: texts.requests.counts },
        ]}
        value={shown}
        onChange={(value) => setShown(value as typeof shown)}
      />
      {shown === "list" ? (
        <OperationTable
          path="/op/requests/list"
          request={request}
          filters={[...integration, "error_code"]}
          columns={["requested_at", ...integration, "operation", "status", "problem", "request_id"]}
          rowKey={({ request_id }) => request_id}
          cells={{ problem: (request) => <Problem request={request} />, operation: operationCell }}
          empty={texts.requests.empty}
        />
      ) : (
        <OperationTable
          path="/op/requests/counts"
          request={request}
          filters={integration}
          columns={["hour", ...integration, "operation", "succeeded", "rejected", "failed", "unlisted"]}
          rowKey={({ hour, integration_id, operation }) => `${hour} ${integration_id} ${operation}`}
          cells={{ operation: operationCell }}
          empty={texts.requests.noCounts}
        />
      )}
    </>
  );
}

function operationCell({ operation }: { readonly operation: string | null }) {
  return <Words>{operation ?? texts.requests.unknownPath}</Words>;
}

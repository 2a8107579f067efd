/** The request log: which requests of partners were rejected or failed, and why. */
import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { PageTitle } from "../../shell/page-title.tsx";
import { OperationTable } from "../../tables/operation-table.tsx";
import { texts } from "../../texts/en.ts";
import { Words } from "../../values/words.tsx";
import { Problem } from "./problem.tsx";

const views = ["rejected", "counts"] as const;

/** @param integrationId undefined for the page with all integrations of the business */
export function RequestsPage({ integrationId }: { readonly integrationId?: number }) {
  const [shown, setShown] = useState<(typeof views)[number]>("rejected");
  const request = integrationId === undefined ? {} : { integration_id: integrationId };
  const integration = integrationId === undefined ? (["integration_id"] as const) : [];
  return (
    <>
      {integrationId === undefined && (
        <PageTitle title={texts.requests.title} subtitle={texts.requests.explanation} />
      )}
      <SegmentedControl
        mb="md"
        aria-label={texts.requests.show}
        data={views.map((value) => ({ value, label: texts.requests[value] }))}
        value={shown}
        onChange={setShown}
      />
      {shown === "rejected" ? (
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

/** The request log: which requests of partners were rejected or failed, and why. */
import { useState } from "react";
import { Segments } from "../../forms/segments.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { OperationTable } from "../../tables/operation-table.tsx";
import { texts } from "../../texts/en.ts";
import { Words } from "../../values/words.tsx";
import { Problem } from "./problem.tsx";

const t = texts.requests;

/** @param integrationId undefined for the page with all integrations of the business */
export function RequestsPage({ integrationId }: { readonly integrationId?: number }) {
  const [shown, setShown] = useState<keyof typeof t.views>("rejected");
  const request = integrationId === undefined ? {} : { integration_id: integrationId };
  const integration = integrationId === undefined ? (["integration_id"] as const) : [];
  return (
    <>
      {integrationId === undefined && <PageTitle title={t.title} subtitle={t.explanation} />}
      <Segments mb="md" label={t.show} names={t.views} value={shown} onChange={setShown} />
      {shown === "rejected" ? (
        <OperationTable
          path="/op/requests/list"
          request={request}
          filters={[...integration, "error_code"]}
          columns={["requested_at", ...integration, "operation", "status", "problem", "request_id"]}
          rowKey={({ request_id }) => request_id}
          cells={{ problem: (request) => <Problem request={request} />, operation: operationCell }}
          empty={t.empty}
        />
      ) : (
        <OperationTable
          path="/op/requests/counts"
          request={request}
          filters={integration}
          columns={["hour", ...integration, "operation", "succeeded", "rejected", "failed", "unlisted"]}
          rowKey={({ hour, integration_id, operation }) => `${hour} ${integration_id} ${operation}`}
          cells={{ operation: operationCell }}
          empty={t.noCounts}
        />
      )}
    </>
  );
}

function operationCell({ operation }: { readonly operation: string | null }) {
  return <Words>{operation ?? t.unknownPath}</Words>;
}

/** The request log: which requests of partners were rejected or failed, and why. */
import { Anchor, SegmentedControl } from "@mantine/core";
import { useState } from "react";
import type { DataOf } from "../../api/declarations.ts";
import { basePath } from "../../api/place.ts";
import { OperationTable } from "../../tables/operation-table.tsx";
import { texts } from "../../texts/en.ts";
import { choiceText } from "../../texts/labels.ts";
import { Words } from "../../values/words.tsx";

type Rejected = DataOf<"/op/requests/list">;

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
          columns={[
            ...["requested_at", ...integration, "operation", "status", "error_code", "field_errors"],
            "request_id",
          ]}
          rowKey={({ request_id }) => request_id}
          cells={{ error_code: codeCell, field_errors: fieldsCell, operation: operationCell }}
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

/** The code leads to its meaning and its remedy. */
function codeCell({ error_code, reason }: Rejected) {
  return (
    <>
      <Anchor href={`${basePath}/docs/guides/errors#${error_code}`} target="_blank" rel="noopener" inherit>
        {error_code}
      </Anchor>
      {reason !== null && ` (${choiceText(reason).toLowerCase()})`}
    </>
  );
}

function fieldsCell({ field_errors }: Rejected) {
  return (
    <span className="wraps">
      {field_errors
        .map(({ field, code }) => `${field || texts.requests.whole}: ${choiceText(code).toLowerCase()}`)
        .join(", ")}
    </span>
  );
}

function operationCell({ operation }: { readonly operation: string | null }) {
  return <Words>{operation ?? texts.requests.unknownPath}</Words>;
}

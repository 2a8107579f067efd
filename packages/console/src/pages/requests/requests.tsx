/** The request log: which requests of partners were rejected or failed, and why. */
import { Anchor, Group, NativeSelect, SegmentedControl, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import type { DataOf } from "../../api/declarations.ts";
import { basePath } from "../../api/place.ts";
import { useBusiness } from "../../business.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { OperationTable } from "../../tables/operation-table.tsx";
import { texts } from "../../texts/en.ts";
import { choiceText, labelOf } from "../../values/labels.ts";
import { useChoices } from "../../values/references.ts";

type Rejected = DataOf<"/op/requests/list">;

export function RequestsPage() {
  const integrations = useChoices("integration_id") ?? [];
  const [chosen, setChosen] = useState("");
  return (
    <>
      <PageTitle title={texts.requests.title} subtitle={texts.requests.explanation} />
      <NativeSelect
        mb="md"
        label={labelOf("integration_id")}
        data={[{ value: "", label: texts.requests.all }, ...integrations]}
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      <Requests integrationId={chosen === "" ? undefined : Number(chosen)} />
    </>
  );
}

/** @param integrationId undefined for all integrations of the business */
export function Requests({ integrationId }: { readonly integrationId: number | undefined }) {
  const { business_id } = useBusiness();
  const [shown, setShown] = useState<"list" | "counts">("list");
  const [code, setCode] = useState("");
  const of = { business_id, ...(integrationId !== undefined && { integration_id: integrationId }) };
  const isCode = /^[a-z_]+$/.test(code);
  const integration = integrationId === undefined ? ["integration_id"] : [];
  return (
    <Stack>
      <Group align="flex-end">
        <SegmentedControl
          aria-label={texts.requests.show}
          data={[
            { value: "list", label: texts.requests.rejected },
            { value: "counts", label: texts.requests.counts },
          ]}
          value={shown}
          onChange={(value) => setShown(value as typeof shown)}
        />
        {shown === "list" && (
          <TextInput
            label={labelOf("error_code")}
            value={code}
            maxLength={100}
            onChange={(event) => setCode(event.currentTarget.value.trim())}
          />
        )}
      </Group>
      {shown === "list" ? (
        <OperationTable
          path="/op/requests/list"
          request={{ ...of, ...(isCode && { error_code: code }) }}
          columns={[
            "requested_at",
            ...integration,
            "operation",
            "status",
            "error_code",
            "field_errors",
            "request_id",
          ]}
          rowKey={({ request_id }) => request_id}
          cells={{ error_code: codeCell, field_errors: fieldsCell, operation: operationCell }}
          empty={texts.requests.empty}
        />
      ) : (
        <OperationTable
          path="/op/requests/counts"
          request={of}
          columns={["hour", ...integration, "operation", "succeeded", "rejected", "failed", "unlisted"]}
          rowKey={({ hour, integration_id, operation }) => `${hour} ${integration_id} ${operation}`}
          cells={{ operation: operationCell }}
          empty={texts.requests.noCounts}
        />
      )}
    </Stack>
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
  return <span className="wraps">{operation ?? texts.requests.unknownPath}</span>;
}

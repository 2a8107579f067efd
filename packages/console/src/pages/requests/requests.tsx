/** The request log: which requests of partners were rejected or failed, and why. */
import { Anchor } from "@mantine/core";
import { useContext } from "react";
import { basePath } from "../../api/place.ts";
import { writes } from "../../api/writes.ts";
import { type DataOf, Note, OperationTable, PageRecord, PageTitle, Words } from "../../components.ts";
import { adviceText, choiceText, partnerTexts, phrase, requestProblemText } from "../../texts/index.ts";
import { errors, scopes } from "./partners.ts";

const t = partnerTexts.requests;

/** A page, or a part of the page of an integration. */
export function RequestsPage() {
  const isPart = useContext(PageRecord).record !== undefined;
  return (
    <>
      {!isPart && <PageTitle title={t.title} subtitle={t.explanation} />}
      <OperationTable
        {...{ path: "/op/requests/list", title: isPart ? t.title : undefined, empty: t.empty }}
        filters={["integration_id", "error_code"]}
        columns={["requested_at", "integration_id", "operation", "status", "problem", "request_id"]}
        rowKey={({ request_id }) => request_id}
        cells={{ problem: (request) => <Problem request={request} />, operation: operationCell }}
      />
      <OperationTable
        {...{ path: "/op/requests/counts", title: t.counts, empty: t.noCounts }}
        columns={["hour", "integration_id", "operation", "succeeded", "rejected", "failed", "unlisted"]}
        rowKey={({ hour, integration_id, operation }) => `${hour} ${integration_id} ${operation}`}
        cells={{ operation: operationCell }}
      />
    </>
  );
}

const operationCell = ({ operation }: { readonly operation: string | null }) => (
  <Words>{operation ?? t.unknownPath}</Words>
);

const meanings = writes["/op/integrations/create"].input.scopes?.items?.meanings ?? {};

function Problem({ request }: { readonly request: DataOf<"/op/requests/list"> }) {
  const { error_code, reason, field_errors } = request;
  // It succeeded, and is listed because it came so late.
  if (error_code === null) return <div className="is-long">{t.lateReplay}</div>;
  const scope = scopes[request.operation ?? ""] ?? "";
  const guide = `${basePath}/docs/guides/errors#${error_code}`;
  return (
    <div className="is-long">
      <div>
        {errors[error_code]?.message}
        {reason !== null && ` ${t.reason(phrase(choiceText(reason)))}`}
      </div>
      {field_errors.map((problem) => (
        <div key={`${problem.field} ${problem.code}`}>{requestProblemText(problem)}</div>
      ))}
      <Note>{adviceText(error_code, scope, meanings[scope] ?? "") ?? errors[error_code]?.remedy}</Note>
      {/* The code leads to its meaning. */}
      <Anchor href={guide} target="_blank" rel="noopener" size="sm" className="wraps">
        {error_code}
      </Anchor>
    </div>
  );
}

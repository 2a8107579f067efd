/** The people and the scripts that may use the operator API, and who is signed in. */
import { ListPage, OperationButton, OperationTable } from "../../components.ts";
import { serviceTexts } from "../../texts/en/partners.ts";

export function AccountsPage() {
  const t = serviceTexts.accounts;
  const newKey = <OperationButton path="/op/operator-keys/create" />;
  return (
    <>
      <ListPage
        {...{ words: t, path: "/op/operators/list" }}
        columns={["name", "role", "business_ids", "status", "last_seen_at"]}
        buttons={({ status }) => [
          ...(["/op/operators/update", "/op/operators/reset"] as const),
          status === "disabled" ? "/op/operators/enable" : "/op/operators/disable",
        ]}
      />
      <OperationTable
        {...{ path: "/op/operator-keys/list", title: t.keys, beside: newKey, empty: t.noKeys }}
        buttons={() => ["/op/operator-keys/revoke"]}
      />
      <OperationTable
        {...{ path: "/op/sessions/list", title: t.sessions, empty: t.noSessions }}
        buttons={() => ["/op/sessions/revoke"]}
      />
    </>
  );
}

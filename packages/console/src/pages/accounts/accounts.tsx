/** The people and the scripts that may use the operator API, and who is signed in. */
import { ListPage, OperationButton, OperationTable } from "../../components.ts";
import { texts } from "../../texts/en/texts.ts";

export function AccountsPage() {
  const t = texts.accounts;
  const newKey = <OperationButton path="/op/operator-keys/create" label={t.createKey} />;
  return (
    <>
      <ListPage
        {...{ words: t, path: "/op/operators/list" }}
        buttons={(account) => [
          { path: "/op/operators/update", label: texts.edit, initial: account },
          { path: "/op/operators/reset", label: t.reset },
          account.status === "disabled"
            ? { path: "/op/operators/enable", label: t.enable }
            : { path: "/op/operators/disable", label: t.disable },
        ]}
      />
      <OperationTable
        {...{ path: "/op/operator-keys/list", title: t.keys, beside: newKey, empty: t.noKeys }}
        buttons={() => [{ path: "/op/operator-keys/revoke", label: t.revoke }]}
      />
      <OperationTable
        {...{ path: "/op/sessions/list", title: t.sessions, empty: t.noSessions }}
        buttons={() => [{ path: "/op/sessions/revoke", label: t.endSession }]}
      />
    </>
  );
}
